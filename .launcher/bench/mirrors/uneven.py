"""Uneven clients: a few send most of the requests, each pauses now and then and comes back with a burst, and each has its own favourite pages.

A third of them ignores cookies, a third keeps them, a third comes from addresses that the balancer hashes. Writes one line for each visit:
TIME SECONDS STATUS MIRROR PATH.
"""

import asyncio
import random
import sys
import time

PATIENCE = 8
AT_ONCE = 20          # requests of one client; with so many in progress it waits
ACTIVE, PAUSE = 50, 15  # mean seconds
BURST = 12            # requests at most, after a pause


class Client:
    def __init__(self, chance, source, keeps_cookies, pages):
        self.chance, self.source, self.keeps_cookies, self.cookie, self.open = chance, source, keeps_cookies, None, 0
        self.favourites = [self.chance.randint(1, pages) for _ in range(8)]
        self.pages, self.dynamic, self.reports = pages, self.chance.uniform(0.1, 0.3), self.chance.uniform(0.05, 0.15)

    def path(self):
        drawn = self.chance.random()
        if drawn < self.reports:
            return "/app?sleep=1500&bytes=2000"
        if drawn < self.reports + self.dynamic:
            return "/app?sleep=%d&cpu=6&bytes=%d" % (self.chance.choice([20, 40, 60]), self.chance.choice([2_000, 8_000, 20_000]))
        return "/page/%d.html" % (self.chance.choice(self.favourites) if self.chance.random() < 0.5 else self.chance.randint(1, self.pages))

    async def live(self, rate, visit):
        """rate: requests a second while it is active."""
        loop = asyncio.get_running_loop()
        await asyncio.sleep(self.chance.uniform(0, 3))
        while True:
            until = loop.time() + self.chance.expovariate(1 / ACTIVE)
            while loop.time() < until:
                visit(self)
                await asyncio.sleep(self.chance.expovariate(rate))
            await asyncio.sleep(self.chance.expovariate(1 / PAUSE))
            for _ in range(self.chance.randint(1, BURST)):
                visit(self)


class Visits:
    def __init__(self, target, out):
        self.host, _, port = target.rpartition(":")
        self.port, self.out, self.running = int(port), out, set()

    def begin(self, client):
        if client.open < AT_ONCE:
            client.open += 1
            task = asyncio.get_running_loop().create_task(self.visit(client, client.path()))
            self.running.add(task)
            task.add_done_callback(self.running.discard)

    async def visit(self, client, path):
        at, begun, status, mirror, writer = time.time(), time.monotonic(), "none", "-", None
        try:
            async with asyncio.timeout(PATIENCE):
                reader, writer = await asyncio.open_connection(self.host, self.port, local_addr=(client.source, 0))
                cookie = "Cookie: MIRROR=%s\r\n" % client.cookie if client.cookie else ""
                writer.write(("GET %s HTTP/1.1\r\nHost: site\r\n%sConnection: close\r\n\r\n" % (path, cookie)).encode())
                head = await reader.readuntil(b"\r\n\r\n")
                while await reader.read(65_536):
                    pass
                fields = head.decode("latin-1").split("\r\n")
                status = fields[0].split()[1]
                for field in fields[1:]:
                    name, _, value = field.partition(": ")
                    if name.lower() == "x-mirror":
                        mirror = value
                    elif name.lower() == "set-cookie" and client.keeps_cookies:
                        client.cookie = value.partition(";")[0].partition("=")[2]
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, IndexError):
            pass
        finally:
            client.open -= 1
            if writer:
                writer.close()
        self.out.write("%.3f %.4f %s %s %s\n" % (at, time.monotonic() - begun, status, mirror, path))


async def main(target, net, count, rate, pages, out):
    kinds = [n % 3 for n in range(count)]
    random.Random(net).shuffle(kinds)
    clients = [Client(random.Random("%s %d" % (net, n)), "%s.%d" % (net, (128 if kind == 2 else 10) + n), kind == 1, pages) for n, kind in enumerate(kinds)]
    weights = [(n + 1) ** -0.7 for n in range(count)]
    active = ACTIVE / (ACTIVE + PAUSE)
    with open(out, "w", buffering=1) as lines:
        visits = Visits(target, lines)
        await asyncio.gather(*(client.live(rate * weight / sum(weights) / active, visits.begin) for client, weight in zip(clients, weights)))


if __name__ == "__main__":
    target, net, count, rate, pages, out = sys.argv[1:]
    asyncio.run(main(target, net, int(count), float(rate), int(pages), out))
