"""Visitors that accept compressed pages, which the open load does not: each requests one page on a connection of its own and reads it to its end."""

import asyncio
import os
import random
import sys

PROGRAM = os.path.abspath(__file__)
PATIENCE = 15  # seconds


def gzip_visitors(d, rate, pages):
    """The constant visitors: /page/1.html to /page/PAGES.html, `rate` a second, by a Poisson process."""
    d.others(lambda number: d.stage.start("%s-visitors-gzip%d" % (d.drill.name, number), [sys.executable, "-B", PROGRAM,
        "%s:%d" % (d.link.server, d.watched.port), rate, pages], ns="client"))


async def visit(host, port, path):
    reader, writer = await asyncio.open_connection(host, port)
    try:
        writer.write(b"GET %s HTTP/1.1\r\nHost: drill\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n" % path.encode())
        while await reader.read(65536):
            pass
    finally:
        writer.close()


async def patient(host, port, path):
    try:
        await asyncio.wait_for(visit(host, port, path), PATIENCE)
    except (OSError, asyncio.TimeoutError):
        pass


async def come(target, rate, pages):
    host, _, port = target.rpartition(":")
    chance, loop, running = random.Random(7), asyncio.get_running_loop(), set()
    due = loop.time()
    while True:
        due += chance.expovariate(rate)
        await asyncio.sleep(max(0, due - loop.time()))
        task = loop.create_task(patient(host, int(port), "/page/%d.html" % chance.randint(1, pages)))
        running.add(task)
        task.add_done_callback(running.discard)


if __name__ == "__main__":
    asyncio.run(come(sys.argv[1], float(sys.argv[2]), int(sys.argv[3])))
