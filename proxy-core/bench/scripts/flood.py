#!/usr/bin/env python3
"""Besieges a running proxy and tells how its other clients fare: flood.py PROXY_HOST:PORT PID [CONTROL_HOST:PORT].

At once: slow clients whose heads drip in, a byte every --drip seconds; and one after the other, as fast as they are
answered, heads of 20,000 fields, 1 MB of chunk extensions, targets of 1 MB, pipelined garbage. Beside them good clients
ask --rate times a second for /1k (from the cache) and /pass10k (from the origin), and for the control port's /health.

Told: what good requests took, quiet before and during the siege; when the slow ones were cut off, counted from their
first byte; what each added to the process's resident memory; what the floods were answered. Nothing but Python 3 is
needed. Exit code 1 when a good request failed, a slow client outstayed 10 s by more than a second, or one cost more
than 10 KB.
"""
import argparse, multiprocessing, os, select, socket, sys, time

ap = argparse.ArgumentParser()
ap.add_argument("proxy"); ap.add_argument("pid", type=int); ap.add_argument("control", nargs="?")
ap.add_argument("--slow", type=int, default=10_000); ap.add_argument("--drip", type=float, default=2.0)
ap.add_argument("--rate", type=float, default=50.0); ap.add_argument("--quiet", type=float, default=5.0)
ap.add_argument("--connect-rate", type=float, default=3000.0)
args = ap.parse_args()


def address(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)


def resident():
    with open(f"/proc/{args.pid}/smaps_rollup") as lines:
        values = {l.split(":")[0]: l.split()[1] for l in lines if "kB" in l}
    return int(values["Rss"]) * 1024


def cpu_seconds():
    with open(f"/proc/{args.pid}/stat") as stat:
        f = stat.read().rsplit(")", 1)[1].split()
    return (int(f[11]) + int(f[12])) / os.sysconf("SC_CLK_TCK")


def answer(sock, buf=b""):
    """One answer with a length: (status, rest)."""
    while b"\r\n\r\n" not in buf:
        got = sock.recv(65536)
        if not got:
            return None, b""
        buf += got
    head, rest = buf.split(b"\r\n\r\n", 1)
    length = 0
    for line in head.split(b"\r\n")[1:]:
        name, value = line.split(b":", 1)
        if name.lower() == b"content-length":
            length = int(value)
    while len(rest) < length:
        got = sock.recv(65536)
        if not got:
            return None, b""
        rest += got
    return int(head.split(b" ")[1]), rest[length:]


def probe(where, path, until, out):
    """One good client; (seconds since start of request, milliseconds, status) each."""
    took, wrong, sock, due = [], [], None, time.monotonic()
    while not until.is_set():
        due += 1 / args.rate
        time.sleep(max(0, due - time.monotonic()))
        due = max(due, time.monotonic() - 1)
        begun = time.monotonic()
        try:
            if sock is None:
                sock = socket.create_connection(where, 10)
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.sendall(b"GET %s HTTP/1.1\r\nHost: %s:%d\r\n\r\n" % (path, where[0].encode(), where[1]))
            status, _ = answer(sock)
            if status != 200:
                wrong.append(f"{path.decode()}: {status}")
                sock.close(); sock = None
        except OSError as e:
            wrong.append(f"{path.decode()}: {e}")
            sock = None
        took.append((begun, (time.monotonic() - begun) * 1000))
    out.put((path.decode(), took, wrong))


def siege(where, ready, out):
    """Slow clients: connects them all, drips, waits until each is cut."""
    ep, open_, cut, refused, answered = select.epoll(), {}, [], 0, 0
    begun, made = time.monotonic(), 0
    drips = []
    sent = 0
    while made < args.slow or open_:
        now = time.monotonic()
        while made < args.slow and made < (now - begun) * args.connect_rate:
            s = socket.socket(); s.setblocking(True)
            made += 1
            try:
                s.connect(where)
                s.sendall(b"GET / HTTP/1.1\r\nHost: slow.example\r\nX-Slow: ")
            except OSError:
                refused += 1
                continue
            s.setblocking(False)
            open_[s.fileno()] = (s, time.monotonic())
            drips.append((time.monotonic() + args.drip, s.fileno()))
            ep.register(s.fileno(), select.EPOLLIN | select.EPOLLRDHUP)
            if made % 100 == 0:
                break
        if made == args.slow and not ready.is_set():
            ready.set()
        later = 0
        for at, fd in drips[:500]:
            if at > now:
                break
            later += 1
            if fd in open_:
                try:
                    open_[fd][0].send(b"x"); sent += 1
                except OSError:
                    pass
                drips.append((now + args.drip, fd))
        del drips[:later]
        for fd, _ in ep.poll(0 if later else 0.005, 512):
            s, since = open_.pop(fd)
            cut.append(time.monotonic() - since)
            try:
                if s.recv(4096):
                    answered += 1
            except OSError:
                pass
            ep.unregister(fd); s.close()
        if now - begun > 60:
            break
    out.put((cut, refused, answered, len(open_), sent))


FLOODS = {
    "20,000 fields": lambda: b"GET / HTTP/1.1\r\nHost: a\r\n" + b"".join(b"X-%d: y\r\n" % i for i in range(20_000)) + b"\r\n",
    "1 MB of chunk extensions": lambda: b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1;" + b"a" * (1 << 20) + b"\r\nx\r\n0\r\n\r\n",
    "1 MB target": lambda: b"GET /" + b"a" * (1 << 20) + b" HTTP/1.1\r\nHost: a\r\n\r\n",
    "pipelined garbage": lambda: b"GET /1k HTTP/1.1\r\nHost: a\r\n\r\n" * 3 + os.urandom(1 << 18),
}


def flood(where, name, until, out):
    data, statuses = FLOODS[name](), {}
    while not until.is_set():
        got = b""
        try:
            s = socket.create_connection(where, 10)
            s.settimeout(10)
            try:
                s.sendall(data)
            except OSError:
                pass  # refused meanwhile; the answer may be there all the same
            while True:
                part = s.recv(65536)
                if not part:
                    break
                got += part
        except OSError as e:
            got += b"" if got else type(e).__name__.encode()
        finally:
            s.close()
        codes = [c[:3].decode() for c in got.split(b"HTTP/1.1 ")[1:]]
        seen = codes[-1] if codes else "reset before the answer" if got == b"ConnectionResetError" else "nothing " + got[:30].decode("latin1")
        statuses[seen] = statuses.get(seen, 0) + 1
        time.sleep(0.02)
    out.put((name, statuses))


def percentile(values, p):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * p))] if values else float("nan")


def main():
    where, probes = address(args.proxy), multiprocessing.Queue()
    stop, ready, sieged, floods = multiprocessing.Event(), multiprocessing.Event(), multiprocessing.Queue(), multiprocessing.Queue()
    goods = [(where, b"/1k"), (where, b"/pass10k")] + ([(address(args.control), b"/health")] if args.control else [])
    for target, path in goods:
        multiprocessing.Process(target=probe, args=(target, path, stop, probes), daemon=True).start()
    time.sleep(args.quiet)
    before, cpu, begun = resident(), cpu_seconds(), time.monotonic()
    multiprocessing.Process(target=siege, args=(where, ready, sieged), daemon=True).start()
    ready.wait(60)
    time.sleep(1)
    full, at_full = resident(), time.monotonic() - begun
    for name in FLOODS:
        multiprocessing.Process(target=flood, args=(where, name, stop, floods), daemon=True).start()
    cut, refused, answered, left, drips = sieged.get()
    ended, cpu = time.monotonic(), cpu_seconds() - cpu
    after = resident()
    stop.set()
    failed = left > 0 or refused > 0
    print(f"load average {' '.join(f'{x:.1f}' for x in os.getloadavg())}; siege of {ended - begun:.1f} s, server CPU {cpu:.1f} s")
    for _ in goods:
        path, took, wrong = probes.get()
        for label, part in (("quiet", [ms for at, ms in took if at < begun]), ("besieged", [ms for at, ms in took if begun <= at < ended])):
            print(f"{path:10} {label:9} n={len(part):5} p50={percentile(part, .5):7.2f} p99={percentile(part, .99):7.2f} max={max(part, default=0):7.2f} ms")
        print(f"{path:10} failed: {len(wrong)} {wrong[:3] if wrong else ''}")
        failed |= bool(wrong)
    each = (full - before) / args.slow
    print(f"slow clients: {len(cut)} cut {min(cut):.2f} to {max(cut):.2f} s after their first byte, {refused} refused, {left} still open, {drips} drips")
    print(f"memory: {before >> 20} MB before, {full >> 20} MB with all of them ({each:.0f} bytes each), {after >> 20} MB after the floods")
    for _ in FLOODS:
        print("%s: %s" % floods.get())
    failed |= max(cut) > 11 or each > 10 * 1024
    sys.exit(failed)


main()
