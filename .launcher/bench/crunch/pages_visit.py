"""Pages of ten objects, and visitors that load them: the page first, then all objects that it names at once, each over its own connection to the proxy beside them.

    make DIR SETS COUNT                        the files, sizes by the paper (its section 3), the same in every run
    visit PORT SET VISITORS PAGES ROUNDS       one JSON object a page: how long it took
"""

import asyncio
import json
import os
import random
import re
import sys
import time

OBJECTS = 9
HOST = "pages.example"
PAGE_BYTES = 6_000


def size(chance):
    step, which = 0, chance.random()
    for share in (0.35, 0.85, 0.99, 0.999):
        step += which >= share
    most = 1_000 * 10 ** step
    return int(chance.uniform(128 if step == 0 else most / 10, most))


def make(where, sets, count):
    chance = random.Random(1)
    for name in ["warm", *map(str, range(int(sets)))]:
        os.makedirs(os.path.join(where, name))
        for page in range(64 if name == "warm" else int(count)):
            parts = ["/%s/%d-%d.png" % (name, page, part) for part in range(OBJECTS)]
            text = "<html>" + "".join('<img src="%s">' % part for part in parts)
            with open("%s/%s/%d.html" % (where, name, page), "w") as file:
                file.write(text + "k" * (PAGE_BYTES - len(text)))
            for part in parts:
                with open(where + part, "wb") as file:
                    file.truncate(size(chance))


async def fetch(port, path, referer):
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    named = "Referer: http://%s%s\r\n" % (HOST, referer) if referer else ""
    writer.write(("GET http://%s%s HTTP/1.0\r\nHost: %s\r\n%s\r\n" % (HOST, path, HOST, named)).encode())
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(re.search(rb"(?i)content-length: *(\d+)", head).group(1))
    body = await reader.readexactly(length)
    writer.close()
    if b" 200 " not in head.split(b"\r\n", 1)[0]:
        raise IOError("%s: %s" % (path, head.split(b"\r\n", 1)[0]))
    return body


async def visitor(port, pages, rounds):
    for page in pages:
        for _ in range(rounds):
            begun = time.monotonic()
            text = await fetch(port, page, None)
            shown = time.monotonic()
            parts = re.findall(r'src="([^"]+)"', text.decode())
            got = await asyncio.gather(*(fetch(port, part, page) for part in parts))
            print(json.dumps({"page": page, "seconds": time.monotonic() - begun, "pageSeconds": shown - begun, "bytes": len(text) + sum(map(len, got))}))


async def visit(port, name, visitors, pages, rounds):
    await asyncio.gather(*(visitor(int(port), ["/%s/%d.html" % (name, one * int(pages) + page) for page in range(int(pages))], int(rounds))
                           for one in range(int(visitors))))


if sys.argv[1] == "make":
    make(*sys.argv[2:5])
else:
    asyncio.run(visit(*sys.argv[2:7]))
