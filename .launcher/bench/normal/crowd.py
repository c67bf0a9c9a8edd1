"""The visitors of normal traffic, all in one program: crowd.py SERVICES.json, in the visitors' namespace, until it is ended.

    [{"name", "host", "port", "clients": ["10.98.1.10", …], "rhythm", "rate", "path", "large", "poll", "tls", "h2", "authority"}, …]
"""

import asyncio
import json
import math
import random
import ssl
import sys
import time

PATIENCE = 60
DAY = 1_800           # seconds of a day
LEAVING = 0.01        # share of visitors that leave before the response
READ_RATE = 40_000    # bytes a second of a slow reader


class Visitors:
    def __init__(self, service, seed):
        self.__dict__.update(service)
        self.chance, self.begun, self.n = random.Random(seed), time.time(), 0
        self.trust = None
        if self.tls:
            self.trust = ssl.create_default_context(cafile=self.authority)
            if self.h2:
                self.trust.set_alpn_protocols(["h2"])

    # ---- when they come ----------------------------------------------------------------------------------------------

    def rate_now(self):
        if self.rhythm != "day":
            return self.rate
        hour = (time.time() - self.begun) / DAY * 2 * math.pi
        return self.rate * (0.1 + 0.9 * (1 - math.cos(hour)) / 2)

    async def come(self):
        loop, running = asyncio.get_running_loop(), set()

        def visit(action):
            task = loop.create_task(self.guarded(action))
            running.add(task)
            task.add_done_callback(running.discard)

        if self.rhythm == "bursts":
            visit(self.burst)
        while True:
            await asyncio.sleep(self.chance.expovariate(self.rate_now()))
            self.n += 1
            visit(self.action())

    def action(self):
        if self.h2:
            return self.streams
        if self.rhythm == "kept":
            return self.kept
        if self.rhythm == "slow" and self.chance.random() < 0.5:
            return self.slowly
        if self.rhythm == "polls" and self.chance.random() < 0.6:
            return self.poll_once
        return self.leave if self.chance.random() < LEAVING else self.page

    async def guarded(self, action):
        try:
            if action == self.burst:
                await self.burst()
            else:
                async with asyncio.timeout(PATIENCE):
                    await action()
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError, ssl.SSLError):
            pass

    async def burst(self):
        while True:
            await asyncio.sleep(self.chance.uniform(50, 130))
            for _ in range(self.chance.randint(15, 35)):
                asyncio.get_running_loop().create_task(self.guarded(self.streams if self.h2 else self.page))
                await asyncio.sleep(self.chance.expovariate(15))

    # ---- what they do ------------------------------------------------------------------------------------------------

    async def connect(self, **more):
        address = (self.clients[self.chance.randrange(len(self.clients))], 0)
        return await asyncio.open_connection(self.host, self.port, ssl=self.trust, server_hostname=self.name if self.tls else None, local_addr=address, **more)

    def some(self, path):
        return path % self.chance.randint(1, 8) if "%d" in path else path

    async def request(self, reader, writer, path, last):
        writer.write(("GET %s HTTP/1.1\r\nHost: drill\r\n%s\r\n" % (path, "Connection: close\r\n" if last else "")).encode())
        head = await reader.readuntil(b"\r\n\r\n")
        lower = head.lower()
        if b"content-length:" in lower:
            await reader.readexactly(int(lower.split(b"content-length:")[1].split(b"\r\n")[0]))
        elif b"transfer-encoding: chunked" in lower:
            while size := int((await reader.readline()).split(b";")[0], 16):
                await reader.readexactly(size + 2)
            await reader.readline()
        else:
            await reader.read()
            last = True
        return last or b"connection: close" in lower

    async def page(self):
        await self.one(self.some(self.path))

    async def poll_once(self):
        await self.one(self.poll)

    async def one(self, path):
        reader, writer = await self.connect()
        try:
            await self.request(reader, writer, path, True)
        finally:
            writer.close()

    async def leave(self):
        """Leaves before the response."""
        _, writer = await self.connect()
        writer.write(("GET %s HTTP/1.1\r\nHost: drill\r\n\r\n" % self.some(self.path)).encode())
        await writer.drain()
        writer.transport.abort()

    async def kept(self):
        reader, writer = await self.connect()
        try:
            for left in range(self.chance.randint(1, 6), -1, -1):
                if await self.request(reader, writer, self.some(self.path), left == 0):
                    return
                await asyncio.sleep(self.chance.uniform(0.2, 3))
        finally:
            writer.close()

    async def slowly(self):
        """Reads a large page as a slow line does."""
        reader, writer = await self.connect(limit=8_192)
        try:
            writer.write(("GET %s HTTP/1.1\r\nHost: drill\r\nConnection: close\r\n\r\n" % self.large).encode())
            while data := await reader.read(8_192):
                await asyncio.sleep(len(data) / READ_RATE)
        finally:
            writer.close()

    async def streams(self):
        """Some pages on one HTTP/2 connection (RFC 9113), each when the one before has come."""
        reader, writer = await self.connect()
        try:
            writer.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"\0\4\0\x7f\xff\xff") + frame(8, 0, 0, (1 << 24).to_bytes(4, "big")))
            for n in range(self.chance.randint(1, 5)):
                path = self.some(self.path).encode()
                # Indexed :method GET and :scheme https, literal :path and :authority (RFC 7541 sections 6.1 and 6.2.2).
                writer.write(frame(1, 5, 2 * n + 1, b"\x82\x87\x04" + bytes([len(path)]) + path + b"\x01\x05drill"))
                await self.response(reader, writer, 2 * n + 1)
                await asyncio.sleep(self.chance.uniform(0, 1))
            writer.write(frame(7, 0, 0, b"\0" * 8))
        finally:
            writer.close()

    @staticmethod
    async def response(reader, writer, stream):
        while True:
            head = await reader.readexactly(9)
            length, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
            body = await reader.readexactly(length)
            if kind == 4 and not flags & 1:
                writer.write(frame(4, 1, 0, b""))
            elif kind == 6 and not flags & 1:
                writer.write(frame(6, 1, 0, body))
            elif kind == 7:
                raise OSError("the server goes away")
            elif kind in (0, 1) and flags & 1 and int.from_bytes(head[5:], "big") == stream:
                return


def frame(kind, flags, stream, body):
    return len(body).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + body


async def main(path):
    with open(path, encoding="utf-8") as text:
        services = json.load(text)
    await asyncio.gather(*(Visitors(service, seed).come() for seed, service in enumerate(services)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
