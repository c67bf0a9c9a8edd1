"""An origin that does one thing wrong on each of its paths; runs until it is stopped. Arguments: its port."""

import asyncio
import socket
import struct
import sys

BODY = b"x" * 10240
HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nCache-Control: max-age=60\r\n\r\n" % len(BODY)
LATE_SECONDS = 0.5


def reset(writer):
    """Closes with RST in place of FIN."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def respond(path, writer):
    """Returns whether the connection continues."""
    kind = path.split("/")[2].split("?")[0]
    if kind == "500":
        writer.write(b"HTTP/1.1 500 Broken\r\nContent-Length: 6\r\n\r\nbroken")
        return True
    if kind == "late":
        await asyncio.sleep(LATE_SECONDS)
        writer.write(HEAD.replace(b"max-age=60", b"no-store") + BODY)
        return True
    if kind == "garbage":
        writer.write(b"HTTP/9.9 what is this\r\n\r\n")
    elif kind in ("cut", "reset-within"):
        writer.write(HEAD + BODY[:5000])
        await writer.drain()
        # The proxy has passed on the beginning by then.
        await asyncio.sleep(0.02)
    if kind.startswith("reset"):
        reset(writer)
    return False


async def serve(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            if not await respond(head.split(b" ")[1].decode(), writer):
                break
            await writer.drain()
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError):
        pass
    writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", int(sys.argv[1]), backlog=1024)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
