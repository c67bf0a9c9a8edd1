"""The server behind the proxies: thinks for --think ms, then responds; SIGUSR1: thinks for --slow ms from now on, SIGUSR2: as before."""

import argparse
import asyncio
import signal


class Answering(asyncio.Protocol):
    def __init__(self, origin):
        self.origin, self.seen = origin, b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.seen += data
        while b"\r\n\r\n" in self.seen:
            head, _, self.seen = self.seen.partition(b"\r\n\r\n")
            last = b"\r\nconnection: close" in head.lower() or b" HTTP/1.0\r\n" in head and b"\r\nconnection: keep-alive" not in head.lower()
            asyncio.get_running_loop().call_later(self.origin.think, self.answer, last)

    def answer(self, last):
        if self.transport.is_closing():
            return
        self.transport.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nCache-Control: no-store\r\nContent-Length: %d\r\n%s\r\n"
            % (len(self.origin.body), b"Connection: close\r\n" if last else b"Connection: keep-alive\r\n") + self.origin.body)
        if last:
            self.transport.close()


class Origin:
    think, body = 0.0, b""


async def serve():
    options = argparse.ArgumentParser()
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--size", type=int, default=2_048, help="bytes of a response")
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--think", type=float, default=10)
    options.add_argument("--slow", type=float, default=2_000)
    args = options.parse_args()
    origin = Origin()
    origin.think, origin.body = args.think / 1_000, b"komainu " * (args.size // 8)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, lambda: setattr(origin, "think", args.slow / 1_000))
    loop.add_signal_handler(signal.SIGUSR2, lambda: setattr(origin, "think", args.think / 1_000))
    server = await loop.create_server(lambda: Answering(origin), args.host, args.port, backlog=4096)
    await server.serve_forever()


asyncio.run(serve())
