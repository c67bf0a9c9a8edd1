#!/usr/bin/env python3
"""Times misfortunes from outside, with the proxy and an origin as real processes: drills.py [PROXY COMMAND …].

The command defaults to "./komainu proxy"; --config is added. The origin takes 300 ms for each answer. Told: a thousand
clients on one cold object, on an object that may not be stored (never seen before, and known as such), hits and another
route beside an origin that hangs, kill -9 until it serves again, SIGTERM under load. Nothing but Python 3 is needed; ports 26180 to
26182. Exit code 1 when a count is wrong: times are told, not judged, because they are the machine's too.
"""
import asyncio, collections, multiprocessing, os, signal, subprocess, sys, tempfile, time

PORT, ORIGIN, HANGING = 26180, 26181, 26182
THINKS = 0.3
command = sys.argv[1:] or ["./komainu", "proxy"]
wrong = []


class Answering(asyncio.Protocol):
    """A connection to the origin. Timers and callbacks only: a thousand that wait must not cost what is being timed."""

    def __init__(self, port, counts):
        self.port, self.counts, self.got = port, counts, b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.got += data
        while b"\r\n\r\n" in self.got:
            head, self.got = self.got.split(b"\r\n\r\n", 1)
            self.request(head.split(b" ", 2)[1].decode())

    def request(self, path):
        self.counts[path] += 1
        if self.port == HANGING:
            return
        if path.startswith("/count"):
            self.answer(str(self.counts[path[6:]]).encode(), "no-store")
        else:
            body, fields = b"x" * 5000, {"c": "max-age=600", "p": "private", "n": "no-store"}[path[1]]
            if path[1] in "cp":
                asyncio.get_running_loop().call_later(THINKS, self.answer, body, fields)
            else:
                self.answer(body, fields)

    def answer(self, body, fields):
        self.transport.write(f"HTTP/1.1 200 OK\r\nCache-Control: {fields}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)


async def origin(port):
    counts = collections.Counter()
    server = await asyncio.get_running_loop().create_server(lambda: Answering(port, counts), "127.0.0.1", port, backlog=4096)
    await server.serve_forever()


async def ask(streams, path):
    """(status, body, whether the connection stays); an OSError or EOFError when it broke."""
    reader, writer = streams
    writer.write(f"GET {path} HTTP/1.1\r\nHost: a.example\r\n\r\n".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin1").lower()
    length = int(head.split("content-length: ")[1].split("\r\n")[0])
    return int(head.split(" ")[1]), await reader.readexactly(length), "connection: close" not in head


async def connect():
    return await asyncio.open_connection("127.0.0.1", PORT)


async def one(path):
    streams = await connect()
    answer = await ask(streams, path)
    streams[1].close()
    return answer


class Asking(asyncio.Protocol):
    """One of a herd; as cheap as the origin's side."""

    def connection_made(self, transport):
        self.transport, self.got = transport, b""
        self.done = asyncio.get_running_loop().create_future()

    def ask(self, path):
        self.begun = time.monotonic()
        self.transport.write(f"GET {path} HTTP/1.1\r\nHost: a.example\r\n\r\n".encode())
        return self.done

    def data_received(self, data):
        self.got += data
        head = self.got.find(b"\r\n\r\n")
        if head >= 0 and len(self.got) >= head + 4 + 5000 and not self.done.done():
            self.done.set_result(time.monotonic() - self.begun)

    def connection_lost(self, cause):
        if not self.done.done():
            self.done.set_exception(EOFError(str(cause)))


async def herd(path, size=1000):
    """All connected before the first asks. Seconds each, sorted."""
    loop = asyncio.get_running_loop()
    crowd = [(await loop.create_connection(Asking, "127.0.0.1", PORT))[1] for _ in range(size)]
    took = sorted(await asyncio.gather(*[each.ask(path) for each in crowd]))
    for each in crowd:
        if not each.got.startswith(b"HTTP/1.1 200 "):
            wrong.append(f"{path}: {each.got[:20]}")
        each.transport.close()
    return took


def told(name, took, more=""):
    print(f"{name:52} p50 {took[len(took) // 2] * 1000:7.1f} ms  p99 {took[int(len(took) * .99)] * 1000:7.1f} ms  {more}", flush=True)


def start(config):
    process = subprocess.Popen(command + ["--config", config], stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
    begun = time.monotonic()
    while time.monotonic() - begun < 120:
        try:
            if asyncio.run(one("/n"))[0] == 200:
                return process, time.monotonic() - begun
        except (OSError, asyncio.IncompleteReadError):
            time.sleep(0.01)
    sys.exit("the proxy did not start")


async def count(path):
    return int((await one("/count" + path))[1])


async def herds():
    took = await herd("/cold")
    fetched = await count("/cold")
    told("1,000 clients on a cold object", took, f"{fetched} fetch(es), origin takes {THINKS * 1000:.0f} ms")
    if fetched != 1:
        wrong.append(f"/cold: {fetched} fetches")
    told("1,000 on an object nobody knew may not be stored", await herd("/private"), f"{await count('/private')} fetches")
    told("1,000 on the same, known by now", await herd("/private"), f"{await count('/private')} fetches in all")
    told("1,000 on another one nobody knew", await herd("/private2"), f"{await count('/private2')} fetches")


async def hanging():
    await one("/cold2")
    stuck = [asyncio.ensure_future(one(f"/hang/{i}")) for i in range(200)]
    await asyncio.sleep(0.5)
    for name, path in (("a hit", "/cold2"), ("another route, passed", "/n")):
        streams, took = await connect(), []
        for _ in range(500):
            begun = time.monotonic()
            if (await ask(streams, path))[0] != 200:
                wrong.append(path)
            took.append(time.monotonic() - begun)
        told(f"{name}, beside 200 requests to an origin that hangs", sorted(took))
    for task in stuck:
        task.cancel()


async def load(process):
    answered, broken, ended = 0, [], asyncio.Event()

    async def client():
        nonlocal answered
        streams = await connect()
        while True:
            try:
                status, body, stays = await ask(streams, "/n")
            except asyncio.IncompleteReadError as e:
                # Closed between two requests: no byte of the last one was read. Half an answer is a failure.
                if e.partial:
                    broken.append("half an answer")
                return
            except OSError:
                return
            answered += 1
            if status != 200 or len(body) != 5000:
                broken.append(status)
            if not stays:
                return

    before = await count("/n")
    clients = [asyncio.ensure_future(client()) for _ in range(50)]
    await asyncio.sleep(2)
    process.send_signal(signal.SIGTERM)
    begun = time.monotonic()
    await asyncio.gather(*clients)
    code = await asyncio.get_running_loop().run_in_executor(None, process.wait)
    print(f"SIGTERM with 50 busy clients: {answered} answered, {len(broken)} failed, ended after {time.monotonic() - begun:.2f} s with code {code}")
    if broken or code:
        wrong.append(f"SIGTERM: {broken[:3]}, code {code}")
    return answered, before


def main():
    for port in (ORIGIN, HANGING):
        multiprocessing.Process(target=lambda p=port: asyncio.run(origin(p)), daemon=True).start()
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
        config.write(f"listen: 127.0.0.1:{PORT}\nconnections: {{max: 20000, max-per-client: 20000}}\n"
                     f"control: {{listen: none}}\nroutes:\n"
                     f"  - {{prefix: /, origin: 'http://127.0.0.1:{ORIGIN}'}}\n"
                     f"  - {{prefix: /hang, origin: 'http://127.0.0.1:{HANGING}'}}\n")
        config.flush()
        process, took = start(config.name)
        print(f"load average {' '.join(f'{x:.1f}' for x in os.getloadavg())}; first start to first answer {took:.2f} s")
        try:
            asyncio.run(herds())
            asyncio.run(hanging())
            process.kill()
            process.wait()
            process, took = start(config.name)
            print(f"kill -9, started again, to its first answer: {took:.2f} s")
            asyncio.run(load(process))
        finally:
            process.kill()
    for line in wrong[:10]:
        print("WRONG", line)
    sys.exit(bool(wrong))


main()
