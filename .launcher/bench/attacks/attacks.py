"""The attacks. Each function carries out one and returns what it saw; names are those of docs/security.md."""

import asyncio
import json
import os
import threading
import time

from stage import HOST, Stream, request

MEGABYTE = 1 << 20
ROUTES = [
    ("POST", "/api/v1/session"),
    ("PUT", "/api/v1/session/password"),
    ("POST", "/api/v1/ingest"),
    ("POST", "/api/v1/tokens"),
    ("POST", "/api/v1/users"),
    ("POST", "/api/v1/orders"),
    ("POST", "/api/v1/alert-rules"),
    ("POST", "/api/v1/receivers"),
    ("POST", "/api/v1/silences"),
    ("POST", "/api/v1/changes"),
    ("POST", "/api/v1/caches/purges"),
    ("PUT", "/api/v1/services/x/thresholds"),
    ("POST", "/api/v1/services/x/diagnosis"),
]


def many(count, width, action):
    """Runs an action many times on some threads; returns the results, exceptions included."""
    results, numbers, lock = [], iter(range(count)), threading.Lock()

    def work():
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            try:
                result = action(number)
            except Exception as error:  # the platform may close the connection at any time
                result = type(error).__name__
            with lock:
                results.append(result)

    threads = [threading.Thread(target=work) for _ in range(width)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = {}
    for result in results:
        counts[str(result)] = counts.get(str(result), 0) + 1
    return counts


def large_bodies(platform):
    """A JSON body of 28 MB at every route, by a stranger and by an ingest token; with a length, and in chunks."""
    body = b'{"name":"' + b"a" * (28 * MEGABYTE) + b'","password":"x"}'

    def send(number):
        method, path = ROUTES[number // 3 % len(ROUTES)]
        headers = {"Content-Type": "application/json"}
        if number % 3:
            headers["Authorization"] = "Bearer " + platform.ingest
        if number % 3 == 2:
            headers["Content-Type"] = "application/x-ndjson"
            pieces = (body[at : at + 65536] for at in range(0, len(body), 65536))
            return request(platform.port, method, path, pieces, headers)[0]
        return request(platform.port, method, path, body, headers)[0]

    return many(3 * len(ROUTES), 4, send)


def varint(number):
    """A number in protobuf's base-128 form."""
    text = b""
    while number > 127:
        text += bytes([number & 127 | 128])
        number >>= 7
    return text + bytes([number])


def bomb(megabytes, start=b""):
    """A zstd frame without a size that expands to `start` and zeros: blocks of 128 KB from four bytes each."""
    block = 128 * 1024
    count = megabytes * MEGABYTE // block
    frame = bytes.fromhex("28b52ffd") + bytes([0x00, 0x38 + 0x20])  # a window of 2 MB, no content size
    if start:
        frame += (len(start) << 3).to_bytes(3, "little") + start
    for number in range(count):
        header = (1 if number == count - 1 else 0) | 1 << 1 | block << 3
        frame += header.to_bytes(3, "little") + b"\0"
    return frame


def zstd_bombs(platform):
    """100 zstd bodies, each of 31 MB or of 4 GB when it is expanded, eight at a time: zeros, and batches with one unknown field."""
    batch = b"\x0a\x05bombs\x10\x01\x18\x01\x7a"  # source, epoch, sequence, and the tag of field 15
    bodies = [bomb(31), bomb(4096), bomb(31, batch + varint(31 * MEGABYTE)), bomb(4096, batch + varint(4096 * MEGABYTE))]
    headers = {
        "Authorization": "Bearer " + platform.ingest,
        "Content-Type": "application/x-komainu-batch",
        "Content-Encoding": "zstd",
    }
    return many(100, 8, lambda n: request(platform.port, "POST", "/api/v1/ingest", bodies[n % len(bodies)], headers)[0])


def invented_names(platform):
    """100,000 services, sources and hosts that do not exist, in batches of 3,000."""
    now = int(time.time() * 1e6)

    def send(number):
        lines = []
        for i in range(1000):
            name = "invented-%d-%d" % (number, i)
            lines.append({"type": "serviceSighting", "service": name + ":80", "name": name, "kind": "nginx", "addresses": [], "settings": [], "atMicros": now})
            lines.append({"type": "serviceWindow", "service": name + "-w:80", "fromMicros": now, "lengthMicros": 1000000, "arrivals": 1})
            lines.append({"type": "hostSample", "node": name, "atMicros": now, "intervalMicros": 10000000, "cpus": [], "processes": 1, "threads": 1, "load1": 1.0, "servers": [], "interfaces": [], "disks": []})
        headers = {
            "Authorization": "Bearer " + platform.ingest,
            "Content-Type": "application/x-ndjson",
            "Komainu-Batch": "invented-%d/1/1" % number,
        }
        return request(platform.port, "POST", "/api/v1/ingest", "\n".join(map(json.dumps, lines)).encode(), headers)[0]

    return many(100, 2, send)


def gaps_in_batch_names(platform):
    """Batches of one source whose numbers leave gaps, and of many runs."""
    body = b'{"type":"sourceStatus","node":"gaps","kind":"agent","version":"1","startedMicros":1,"atMicros":1,"residentBytes":1,"cpuCores":0,"watching":[],"drops":[],"troubles":[]}'

    def send(number):
        headers = {
            "Authorization": "Bearer " + platform.ingest,
            "Content-Type": "application/x-ndjson",
            "Komainu-Batch": "gaps/%d/%d" % (number % 50, number * 2 + 1),
        }
        return request(platform.port, "POST", "/api/v1/ingest", body, headers)[0]

    return many(2000, 4, send)


async def open_slow(port, text, count, seconds, drip=None):
    """Opens connections, sends the first part, then some bytes now and then; returns how many still stand."""
    writers = []

    async def one():
        try:
            reader, writer = await asyncio.wait_for(asyncio.open_connection(HOST, port), 10)
            writer.write(text)
            await writer.drain()
            writers.append((reader, writer))
        except (OSError, asyncio.TimeoutError):
            pass

    for start in range(0, count, 250):
        await asyncio.gather(*(one() for _ in range(min(250, count - start))))
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        await asyncio.sleep(4)
        for _, writer in writers:
            if drip and not writer.is_closing():
                try:
                    writer.write(drip)
                except OSError:
                    pass
    standing = sum(1 for reader, writer in writers if not reader.at_eof() and not writer.is_closing())
    for _, writer in writers:
        writer.close()
    return {"opened": len(writers), "of": count, "still open": standing}


def slow_connections(platform):
    """5,000 connections with half a request head each, for 40 s."""
    return asyncio.run(open_slow(platform.port, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-", 5000, 40, b"a"))


def dripping_bodies(platform):
    """2,000 requests to log in whose bodies arrive a byte every 4 s, for 40 s."""
    head = "POST /api/v1/session HTTP/1.1\r\nHost: %s:%d\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{" % (HOST, platform.port)
    return asyncio.run(open_slow(platform.port, head.encode(), 2000, 40, b" "))


def wrong_logins(platform):
    """10,000 wrong logins as fast as they go, for a minute at most, with made-up names and with the administrator's."""
    end = time.monotonic() + 60

    def send(number):
        if time.monotonic() > end:
            return "not sent"
        name = "admin" if number % 5 == 0 else "stranger%d" % number
        body = json.dumps({"name": name, "password": "wrong-%d" % number})
        return request(platform.port, "POST", "/api/v1/session", body, {"Content-Type": "application/json"})[0]

    counts = many(10_000, 8, send)
    # The mark of the known browser without its session: it was logged out.
    cookie = "; ".join(each for each in platform.headers["Cookie"].split("; ") if each.startswith("KOMAINU_BROWSER="))
    body = json.dumps({"name": "admin", "password": platform.password})
    headers = {"Content-Type": "application/json", "Cookie": cookie}
    counts["known browser logs in"] = request(platform.port, "POST", "/api/v1/session", body, headers)[0]
    if counts["known browser logs in"] != 200:
        counts["broken"] = "the administrator's known browser is locked out"
    return counts


def half_requests_to_control(platform):
    """500 half requests to the proxy's control port: /health answers within a second meanwhile."""
    slowest, failed, over = 0.0, 0, threading.Event()

    def ask():
        nonlocal slowest, failed
        while not over.wait(0.5):
            start = time.monotonic()
            try:
                if request(platform.control, "GET", "/health", timeout=5)[0] != 200:
                    failed += 1
            except OSError:
                failed += 1
            slowest = max(slowest, time.monotonic() - start)

    asker = threading.Thread(target=ask)
    asker.start()
    seen = asyncio.run(open_slow(platform.control, b"POST /purge HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 50\r\n\r\nx", 500, 12))
    over.set()
    asker.join()
    seen.update({"health, slowest s": round(slowest, 2), "health, failed": failed})
    if failed or slowest > 1:
        seen["broken"] = "/health did not answer"
    return seen


def purge_from_loopback(platform):
    """PURGE of everything and the manager's pages at the data port, from loopback and with a forwarding header."""
    seen = {}
    for method, path, headers in (
        ("PURGE", "/", {"Komainu-Purge": "prefix"}),
        ("PURGE", "/", {"Komainu-Purge": "prefix", "X-Forwarded-For": "203.0.113.9"}),
        ("GET", "/squid-internal-mgr/info", {}),
    ):
        status = request(platform.proxy, method, path, headers=headers)[0]
        seen["%s %s %s" % (method, path, ",".join(headers))] = status
        if method == "PURGE" and status not in (403, 404, 405, 501) or method == "PURGE" and status == 200:
            seen["broken"] = "PURGE was obeyed"
    return seen


def revoked_stream(platform):
    """The event stream of a token that is revoked ends within 15 s."""
    confirmation = json.dumps({"password": platform.password})
    request(platform.port, "PUT", "/api/v1/session/confirmation", confirmation, platform.headers)  # unknown to old versions
    wish = {"name": "attacks", "scopes": ["metrics:read", "servers:read"], "expiresInDays": 1}
    made = platform.ask("POST", "/api/v1/tokens", wish)
    stream = Stream(platform, {"Authorization": "Bearer " + made["secret"]})
    stream.start()
    time.sleep(4)
    revoked = time.monotonic()
    platform.ask("DELETE", "/api/v1/tokens/" + made["token"]["id"])
    stream.join(25)
    if stream.over is None:
        return {"broken": "fed 25 s after the revocation"}
    seen = {"ended after s": round(stream.over - revoked, 1), "bytes": stream.bytes}
    if stream.over - revoked > 15:
        seen["broken"] = "ended after more than 15 s"
    return seen


def stream_seats(platform):
    """One read token takes as many event streams as it can; the administrator still gets one."""
    streams = [Stream(platform, {"Authorization": "Bearer " + platform.read}) for _ in range(250)]
    for stream in streams:
        stream.start()
    time.sleep(6)
    held = sum(1 for stream in streams if stream.over is None)
    own = Stream(platform, platform.headers)
    own.start()
    time.sleep(4)
    seen = {"held by one token": held, "administrator's bytes": own.bytes}
    if own.bytes == 0:
        seen["broken"] = "the administrator gets no stream"
    for stream in [*streams, own]:
        if stream.over is None:
            stream.close()
    return seen


def wide_files(platform):
    """Files and directories of the data directory that other users could read."""
    wide = []
    for directory, _, files in os.walk(platform.data):
        for name in [""] + files:
            path = os.path.join(directory, name) if name else directory
            mode = os.lstat(path).st_mode
            if mode & 0o077 and not os.path.islink(path):
                wide.append("%o %s" % (mode & 0o777, os.path.relpath(path, platform.data)))
    # The served files of the demo's web server belong to its own user.
    wide = [each for each in wide if " demo" not in each and not each.endswith(" .")]
    return {"wide": len(wide), **({"broken": ", ".join(wide[:5])} if wide else {})}


def secrets_in_logs(platform):
    """Passwords and tokens in what the parts wrote."""
    secrets = [platform.password, platform.ingest, platform.read]
    found = []
    for directory, _, files in os.walk(platform.data + "/log"):
        for name in files:
            with open(os.path.join(directory, name), errors="replace") as file:
                text = file.read()
            found += [name for secret in secrets if secret in text]
    return {"found": len(found), **({"broken": ", ".join(found)} if found else {})}


ALL = {
    "large-bodies": large_bodies,
    "zstd-bombs": zstd_bombs,
    "invented-names": invented_names,
    "gaps-in-batch-names": gaps_in_batch_names,
    "slow-connections": slow_connections,
    "dripping-bodies": dripping_bodies,
    "wrong-logins": wrong_logins,
    "half-requests-to-control": half_requests_to_control,
    "purge-from-loopback": purge_from_loopback,
    "revoked-stream": revoked_stream,
    "stream-seats": stream_seats,
    "wide-files": wide_files,
    "secrets-in-logs": secrets_in_logs,
}
