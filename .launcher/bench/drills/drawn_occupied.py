"""Drawn faults: workers, connection slots, descriptors, queues and ports are occupied, or processes are frozen."""

import signal

from drawn_faults import BANDWIDTH, PROCESSES, SOCKETS, fault, ordinary
from drawn_kinds import origin_of, path_of, server_of

HOLDING = "limit_rate 4k; limit_rate_after 1k;"  # a page of N times 4 KB holds its connection for N seconds

# ---- workers ----------------------------------------------------------------------------------------------------------


def draw_workers(r, w):
    sleep = r.choice([m for m in (100, 200, 400, 800) if w.crew * 1000 / m <= 60] or [800])
    factor = r.choice([1.6, 2, 2.5, 3]) if w.key != "varnish" else 1.3  # it goes on with the requests of visitors that have left
    capacity = w.crew * 1000 / sleep
    return {"sleep": sleep, "factor": factor, "base": round(0.3 * capacity, 1), "crowd": round(factor * capacity, 1)}


@fault("workers", PROCESSES, "all {crew} workers busy: each visitor takes one for {sleep} ms; {crowd:g} more a second, {factor:g} times the capacity",
    "prefork worker event tomcat gunicorn gthread uwsgi php varnish", "busy workers that sleep while disk, CPU, backend and link are idle", draw_workers, few=True)
def workers(d, w):
    server_of(d, w, **({"origin": origin_of(d, w, think=w.p["sleep"])} if w.kind.proxy else {}))
    d.visitors(w.p["base"], **path_of(w, sleep=w.p["sleep"]))
    d.crowd(w.p["crowd"], **path_of(w, sleep=w.p["sleep"]))


def draw_readers(r, w):
    seconds, factor = r.choice([5, 8, 12]), r.choice([1.5, 2, 3])
    return {"seconds": seconds, "size": r.choice([400_000, 800_000]), "factor": factor, "crowd": round(factor * w.crew / seconds, 2)}


@fault("slow-readers", PROCESSES, "{crowd:g} readers a second hold a worker for {seconds} s each, {size} bytes through small buffers; {factor:g} times what {crew} workers carry",
    "prefork worker tomcat gunicorn gthread uwsgi", "busy workers are blocked in a write to a client", draw_readers, also=(BANDWIDTH,), few=True)
def slow_readers(d, w):
    ordinary(d, w, **({"more": "SendBufferSize 16384\n"} if w.kind.title.startswith("Apache") else {}))
    d.slow_crowd("readers", w.p["crowd"], "/app?bytes=%d" % w.p["size"], w.p["seconds"], w.p["size"])


@fault("slow-senders", PROCESSES, "{crowd:g} senders a second hold a worker for {seconds} s each with a body of {size} bytes; {factor:g} times what {crew} workers carry",
    "prefork worker event tomcat gunicorn gthread uwsgi", "busy workers are blocked in a read from a client",
    lambda r, w: {**draw_readers(r, w), "size": r.choice([4_000, 20_000])}, few=True)
def slow_senders(d, w):
    ordinary(d, w)
    d.slow_crowd("senders", w.p["crowd"], "/app?sleep=5", w.p["seconds"], w.p["size"])


FROZEN = {"all": "SIGSTOP of all its processes", "workers": "SIGSTOP of its worker processes", "group": "its control group is frozen"}


def draw_frozen(r, w):
    who = r.choice(["all", "workers", "group"] if w.kind.children else ["all", "group"])
    return {"who": who, "how": FROZEN[who]}


@fault("frozen", PROCESSES, "{how}", "prefork worker event nginx nginx-proxy tomcat gunicorn uwsgi php squid haproxy varnish komainu",
    "its processes are in state T, or their control group is frozen", draw_frozen)
def frozen(d, w):
    group = d.group("freezer") if w.p["who"] == "group" else None
    server = ordinary(d, w, **({"groups": [group]} if group else {}))
    stopped = []

    def begin():
        if group:
            d.stage.undo(lambda: group.freeze(False))
            return group.freeze(True)
        stopped.extend(server.pool_workers() if w.p["who"] == "workers" and hasattr(server, "pool_workers") else
            server.processes()[1:] if w.p["who"] == "workers" else server.processes())
        d.stage.signal(stopped, signal.SIGSTOP)

    d.onset(begin)
    d.cure(lambda: group.freeze(False) if group else d.stage.signal(stopped, signal.SIGCONT))


# ---- sockets ----------------------------------------------------------------------------------------------------------


def draw_slots(r, w):
    slots, factor = r.choice([32, 64, 96, 128]), r.choice([1.6, 2, 3])
    more = {"nginx": {"processes": 1}, "tomcat": {"crew": 200}}.get(w.key, {})
    seconds = {"nginx": 4, "haproxy": 0.5, "tomcat": 3}[w.key]
    if w.key == "haproxy":
        slots = r.choice([16, 24, 32])
    elif w.key == "tomcat":
        slots = r.choice([32, 48, 64])
    return {**more, "slots": slots, "seconds": seconds, "factor": factor, "base": round(0.25 * slots / seconds, 1), "crowd": round(factor * slots / seconds, 1)}


@fault("slots", SOCKETS, "{slots} connection slots, each visitor holds one for {seconds:g} s; {crowd:g} more a second, {factor:g} times the capacity",
    "nginx haproxy tomcat", "the connection slots are occupied while workers are free", draw_slots)
def slots(d, w):
    if w.key == "nginx":
        server_of(d, w, connections=w.p["slots"], location=HOLDING).pages(1, 17_000)
        return base_and_crowd(d, w, {"path": "/page/1.html"})
    if w.key == "haproxy":
        server_of(d, w, connections=w.p["slots"], origin=origin_of(d, w, think=500))
        return base_and_crowd(d, w, {"path": "/"})
    server_of(d, w, connections=w.p["slots"], accept=10)
    d.visitors(w.p["base"], **path_of(w))
    d.crowd(w.p["crowd"], **path_of(w, sleep=3_000))


def base_and_crowd(d, w, asked):
    d.visitors(w.p["base"], **asked)
    d.crowd(w.p["crowd"], **asked)


@fault("files", SOCKETS, "a limit of {limit} open files; {crowd} more visitors a second need more", "nginx squid komainu", "open files of a process are at their limit",
    lambda r, w: {"processes": 1, "limit": {"nginx": r.choice([64, 96]), "squid": 256, "komainu": r.choice([160, 200])}[w.key], "base": 3, "crowd": {"nginx": 60, "squid": 100, "komainu": 80}[w.key]})
def files(d, w):
    if w.key == "nginx":
        server_of(d, w, files=w.p["limit"], location=HOLDING).pages(1, 17_000)
        return base_and_crowd(d, w, {"path": "/page/1.html"})
    origin = origin_of(d, w, think=2_000)
    server_of(d, w, origin=origin, **({"descriptors": w.p["limit"]} if w.key == "squid" else {"files": w.p["limit"]}))
    base_and_crowd(d, w, {"path": "/"})


# Not Apache event: its listener accepts faster than these visitors arrive. In clear text: visitors cannot make that many handshakes at once.
@fault("backlog", SOCKETS, "a listen queue of 1; twice a second {together} visitors arrive at once", "prefork nginx gunicorn", "the listen queue overflows while workers are free",
    lambda r, w: {"together": r.choice([40, 60])}, clear=("prefork", "nginx", "gunicorn"))
def backlog(d, w):
    server_of(d, w, backlog=1)
    asked = path_of(w)
    d.visitors(5, **asked)
    d.crowd(2, together=w.p["together"], **asked)


@fault("ports", SOCKETS, "{ports} local ports towards an origin that takes 1 s; {crowd} more visitors a second", "nginx-proxy haproxy squid", "connect fails with EADDRNOTAVAIL; ports in use are at their limit",
    lambda r, w: {"ports": r.choice([30, 40, 60]), "crowd": r.choice([60, 80])}, alone=True)
def ports(d, w):
    server_of(d, w, origin=origin_of(d, w, think=1_000))
    d.visitors(8, path="/")
    d.crowd(w.p["crowd"], path="/")
    wide = lambda: d.stage.sysctl("server", "net.ipv4.ip_local_port_range", "1024 65000")
    d.stage.undo(wide)
    d.onset(lambda: d.stage.sysctl("server", "net.ipv4.ip_local_port_range", "61000 %d" % (60_999 + w.p["ports"])))
    d.cure(wide)
