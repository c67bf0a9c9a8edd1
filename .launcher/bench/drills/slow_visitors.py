"""Slow visitors, in clear text or over TLS: readers that take a response piece by piece, and senders that give a request's body piece by piece."""

import asyncio
import os
import socket
import ssl
import sys

PROGRAM = os.path.abspath(__file__)
PIECE = 2_048


def slow_visitors(d, what, rate, path, seconds, size, secure):
    """Starts slow visitors. what: readers or senders; seconds: how long one takes; size: bytes of the response or of the body."""
    return d.stage.start("%s-%s" % (d.drill.name, what), [sys.executable, "-B", PROGRAM, what, "%s:%d" % (d.link.server, d.watched.port), d.link.clients,
        rate, path, seconds, size, "tls" if secure else "clear"], ns="client")


async def connect(target, source, secure):
    """Opens a connection with a small receive buffer, so that a response stays in the server's send buffer."""
    host, _, port = target.rpartition(":")
    door = socket.socket()
    door.setblocking(False)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    door.bind((source, 0))
    try:
        await asyncio.wait_for(asyncio.get_running_loop().sock_connect(door, (host, int(port))), 8)
    except BaseException:
        door.close()
        raise
    reader, writer = await asyncio.open_connection(sock=door, ssl=secure, server_hostname="drill" if secure else None, limit=PIECE)
    if secure:
        writer.transport.set_read_buffer_limits(2 * PIECE, PIECE)  # else 512 KB are read ahead
    return reader, writer


async def read(stream, path, seconds, size):
    reader, writer = stream
    writer.write(b"GET %s HTTP/1.1\r\nHost: drill\r\nConnection: close\r\n\r\n" % path.encode())
    while await reader.read(PIECE):
        await asyncio.sleep(seconds * PIECE / size)


async def send(stream, path, seconds, size):
    reader, writer = stream
    writer.write(b"POST %s HTTP/1.1\r\nHost: drill\r\nContent-Type: application/octet-stream\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % (path.encode(), size))
    pieces = max(2, int(seconds * 2))
    for n in range(pieces):
        writer.write(b"k" * (size * (n + 1) // pieces - size * n // pieces))
        await writer.drain()
        await asyncio.sleep(0.5)
    await reader.read()


def main(what, target, clients, rate, path, seconds, size, secure):
    from visitors import addresses, come
    sources, trust = addresses(clients), None
    if secure == "tls":
        trust = ssl.create_default_context()
        trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
    act = {"readers": read, "senders": send}[what]

    async def visit(n):
        writer = None
        try:
            async with asyncio.timeout(4 * float(seconds) + 20):
                stream = await connect(target, sources[n % len(sources)], trust)
                writer = stream[1]
                await act(stream, path, float(seconds), int(size))
        except (OSError, asyncio.TimeoutError, ssl.SSLError):
            pass
        finally:
            if writer:
                writer.transport.abort()

    asyncio.run(come(float(rate), visit))


if __name__ == "__main__":
    main(*sys.argv[1:])
