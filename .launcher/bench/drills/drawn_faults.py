"""The faults of the drawn drills: what each draws, what it does to a server, and the state that must be named.

`r` is the seed's random source, `w` the draw (drawn.py), `w.p` what the fault drew, `d` the run (drawn_run.py).
"""

import os
import signal
import time
import zlib

from drawn_kinds import origin_of, path_of, server_of
from slow_visitors import slow_visitors

CORES = os.cpu_count() or 1
FAULTS = []


class Fault:
    """An entry of the catalogue of faults and traps.

    expected: the state that must be named; `normal` for a trap. also: honest alternatives, counted apart. told: the measurement that tells it.
    few: its server has few workers. alone: it needs the machine for itself. backend: the application requests a server behind it.
    """

    def __init__(self, key, expected, text, kinds, told, build, draw, also, few, alone, link, far, wan, backend, hold):
        self.key, self.expected, self.text, self.kinds, self.told, self.build, self.draw = key, expected, text, kinds, told, build, draw
        self.also, self.few, self.alone, self.link, self.far, self.wan, self.backend, self.hold = also, few, alone, link, far, wan, backend, hold

    @property
    def trap(self):
        return self.expected == "normal"


def fault(key, expected, text, kinds, told, draw=lambda r, w: {}, also=(), few=False, alone=False, link="plain", far=False, wan="", backend=False, hold=20):
    def enter(build):
        FAULTS.append(Fault(key, expected, text, kinds.split(), told, build, draw, also, few, alone, link, far, wan, backend, hold))
        return build
    return enter


PROCESSES, SOCKETS, CPU, MEMORY, DISK, BANDWIDTH = ("saturated/" + part for part in ("processes", "sockets", "cpu", "memory", "disk", "bandwidth"))
UPSTREAM, FAILING, CRASHED, RESTARTING = "upstream-fault", "failing", "stopped/crashed", "stopped/restarting"
HOLDING = "limit_rate 4k; limit_rate_after 1k;"  # a page of N times 4 KB holds its connection for N seconds


def ordinary(d, w, server=None, **o):
    """The watched server with its constant visitors."""
    server = server or server_of(d, w, **o)
    d.visitors(w.rate, **path_of(w))
    return server


# ---- workers ----------------------------------------------------------------------------------------------------------


def draw_workers(r, w):
    sleep = r.choice([m for m in (100, 200, 400, 800) if w.crew * 1000 / m <= 60] or [800])
    factor = r.choice([1.6, 2, 2.5, 3])
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


@fault("backlog", SOCKETS, "a listen queue of 1; twice a second {together} visitors arrive at once", "prefork event nginx gunicorn", "the listen queue overflows while workers are free",
    lambda r, w: {"together": r.choice([40, 60])})
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


# ---- the backend ------------------------------------------------------------------------------------------------------

PROXIES = "nginx-proxy haproxy squid varnish komainu"
CALLERS = PROXIES + " prefork event tomcat gunicorn gthread uwsgi php"
BACKEND = {
    "slow": ("takes 1.5 s instead of {think} ms", "workers wait in a read from the backend", lambda d, o: o.process.send_signal(signal.SIGUSR1), lambda d, o: o.process.send_signal(signal.SIGUSR2)),
    "refusing": ("is stopped: connections to it are refused", "connects to the backend fail", lambda d, o: o.kill(), lambda d, o: o.start()),
    "frozen": ("is frozen by SIGSTOP", "connections to the backend wait, its requests are acknowledged but not answered",
        lambda d, o: o.process.send_signal(signal.SIGSTOP), lambda d, o: o.process.send_signal(signal.SIGCONT)),
    "cable": ("cannot be reached: its cable is pulled", "connections to the backend retransmit, or stay in SYN_SENT", lambda d, o: d.back.cut(), lambda d, o: d.back.cut(False))}


def backend_fault(how):
    text, told, begin, end = BACKEND[how]

    @fault("backend-" + how, UPSTREAM, "the backend " + text, CALLERS, told, lambda r, w: {"think": w.think}, backend=True, hold=25)
    def build(d, w):
        backend = origin_of(d, w, "backend")
        server_of(d, w, **({"origin": backend} if w.kind.proxy else {"backend": backend}))
        d.visitors(w.rate, **({"path": "/call"} if w.kind.title.startswith("Apache") else path_of(w, call=1)))
        d.onset(lambda: begin(d, backend))
        d.cure(lambda: end(d, backend))


for name in BACKEND:
    backend_fault(name)


# ---- stops ------------------------------------------------------------------------------------------------------------


@fault("killed", CRASHED, "kill -9 of all its processes, without a new start", "prefork event nginx tomcat squid haproxy varnish komainu gunicorn uwsgi php",
    "no process, no successor, no supervisor", hold=20)
def killed(d, w):
    server = ordinary(d, w)
    d.onset(server.kill)
    d.cure(server.start)


def draw_restart(r, w):
    by = "hand" if w.key == "php" else r.choice(["hand", "supervisor", "supervisor"])
    return {"seconds": r.choice([1, 2, 4, 8]), "by": by, "stop": "kill -9" if by == "supervisor" and r.random() < 0.4 else "SIGTERM", "start": r.choice([3_000, 6_000, 9_000])}


def restart(d, w, **o):
    server = ordinary(d, w, **o)
    if w.p["by"] == "supervisor":
        server.supervisor = w.p["seconds"]

    def begin():
        if w.p["by"] == "hand":
            server.stop()
            time.sleep(w.p["seconds"])
            return server.start()
        crew = server.processes()
        # A worker that survives its parent would still serve.
        d.stage.signal(crew if w.p["stop"] == "kill -9" else crew[:1], signal.SIGKILL if w.p["stop"] == "kill -9" else signal.SIGTERM)

    d.onset(begin)


@fault("restart", RESTARTING, "stopped by {stop}; started again by {by} {seconds} s later", "prefork event nginx haproxy komainu gunicorn uwsgi squid php",
    "a supervisor that is alive, or a successor", draw_restart, hold=20)
def restarted(d, w):
    restart(d, w)


@fault("restart-slow", RESTARTING, "stopped by {stop}; started again by {by} {seconds} s later, and its application takes {start} ms to start", "tomcat",
    "a process with the same arguments that does not listen yet", draw_restart, hold=30)
def restarted_slowly(d, w):
    restart(d, w, slow_start=w.p["start"])


# ---- CPU --------------------------------------------------------------------------------------------------------------


@fault("quota", CPU, "its control group gets {quota:g} core; it uses {used:g}", "prefork tomcat gunicorn uwsgi php", "its control group is throttled",
    lambda r, w: {"cpu": r.choice([8, 15, 25]), "used": 0.25, "quota": r.choice([0.08, 0.1, 0.12])})
def quota(d, w):
    group = d.group("cpu")
    server_of(d, w, groups=[group])
    d.visitors(w.p["used"] * 1000 / w.p["cpu"], **path_of(w, sleep=0, cpu=w.p["cpu"]))
    d.onset(lambda: group.limit(w.p["quota"]))
    d.cure(lambda: group.limit(None))


COMPETITORS = {"plain": "programs of the same priority", "nice": "programs of a higher priority", "groups": "programs, each in a control group of its own"}


@fault("others", CPU, "{count} busy {what}", "prefork event tomcat gunicorn php", "other programs use the cores; its threads wait in the run queue",
    lambda r, w: (lambda how: {"how": how, "what": COMPETITORS[how], "count": r.choice([4, 6]) * CORES, "cpu": r.choice([10, 15])})(r.choice(sorted(COMPETITORS))), alone=True)
def others(d, w):
    server_of(d, w)
    d.visitors(round(0.5 * 1000 / w.p["cpu"]), **path_of(w, sleep=0, cpu=w.p["cpu"]))
    groups = [d.group("cpu", str(n)) for n in range(w.p["count"])] if w.p["how"] == "groups" else []
    crew = []

    def begin():
        for n in range(w.p["count"]):
            crew.append(d.stage.start("%s-other%d" % (d.drill.name, n), ["python3", "-c", "while True: pass"], groups=groups[n:n + 1]))
            if w.p["how"] == "nice":
                os.setpriority(os.PRIO_PROCESS, crew[-1].pid, -15)

    d.onset(begin)
    d.cure(lambda: [d.stage.end(crew.pop(), 1) for _ in list(crew)])


@fault("own-cpu", CPU, "requests of {cpu} ms of CPU each, {factor:g} times what the cores can do", "prefork tomcat gunicorn php", "its own threads use all cores",
    lambda r, w: {"cpu": r.choice([20, 30, 40]), "factor": r.choice([1.5, 2, 3])}, alone=True)
def own_cpu(d, w):
    server_of(d, w)
    asked = path_of(w, sleep=0, cpu=w.p["cpu"])
    d.visitors(5, **asked)
    d.crowd(w.p["factor"] * CORES * 1000 / w.p["cpu"], patience=4, **asked)


@fault("one-core", CPU, "its single process can use one core; requests for {factor:g} times as much ({cpu} ms each)", "nginx gunicorn uwsgi",
    "one process uses a whole core while others are idle", lambda r, w: {"crew": 1, "processes": 1, "cpu": r.choice([15, 25]), "factor": r.choice([1.5, 2, 2.5])}, also=(PROCESSES,), alone=True)
def one_core(d, w):
    if w.key != "nginx":
        server_of(d, w)
        asked = path_of(w, sleep=0, cpu=w.p["cpu"])
        cost = w.p["cpu"] / 1000
    else:
        # It compresses each response itself: a location that passes requests to the same process and asks for gzip.
        server = server_of(d, w)
        inner = server.dir + "/inner.sock"
        server.http += "gzip on; gzip_comp_level 9; gzip_proxied any; gzip_http_version 1.0; server { listen unix:%s; root %s/www; }" % (inner, server.dir)
        server.location = "proxy_pass http://unix:%s; proxy_set_header Accept-Encoding gzip;" % inner
        page = words(w.seed, w.p["cpu"] * 12_000)
        with open(server.dir + "/www/page/text.html", "wb") as file:
            file.write(page)
        begun = time.thread_time()
        zlib.compress(page, 9)
        cost, asked = time.thread_time() - begun, {"path": "/page/text.html"}
    d.visitors(0.15 / cost, **asked)
    d.crowd(w.p["factor"] / cost, patience=4, **asked)


def words(seed, size):
    """A text that compresses as prose does."""
    import random
    r = random.Random(seed)
    lexicon = [bytes(r.choice(b"etaoinshrdlu") for _ in range(r.randint(2, 9))) for _ in range(4_000)]
    return b" ".join(lexicon[min(3_999, int(r.paretovariate(0.7)))] for _ in range(size // 6))[:size]


@fault("runtime", CPU, "a heap that is full but for 6 MB; each request makes {churn} MB of garbage, so the collector uses the CPU", "tomcat",
    "threads of the collector use the CPU", lambda r, w: {"churn": r.choice([6, 10]), "rate": r.choice([20, 30])}, also=(MEMORY,), alone=True)
def runtime(d, w):
    server = server_of(d, w, heap=64)
    d.visitors(w.p["rate"], **path_of(w, churn=w.p["churn"]))
    d.onset(lambda: server.write("leak", ""))
    d.cure(lambda: os.remove(server.dir + "/leak"))


# ---- memory and disk --------------------------------------------------------------------------------------------------


@fault("memory", MEMORY, "processes that grow to {keep} MB in a control group of {limit} MB; the load needs {needed} MB", "prefork gunicorn",
    "its control group is at its limit and reclaims, or its processes are killed", lambda r, w: (lambda keep: {"keep": keep, "limit": 400, "needed": 900, "crew": 900 // keep})(r.choice([24, 32] if w.key == "prefork" else [45, 60])), alone=True)
def memory(d, w):
    group = d.group("memory")
    group.limit(w.p["limit"] << 20)
    grows = w.key == "prefork"  # its processes come with the load; gunicorn's are there from the start
    server_of(d, w, groups=[group], backlog=64, **({"spares": (4, 2, 6)} if grows else {}))
    keep = {"keep": w.p["keep"]}
    d.visitors(8, **path_of(w, sleep=20, **(keep if grows else {})))
    d.crowd(1.2 * w.p["crew"], **path_of(w, sleep=800, **keep))


@fault("disk", DISK, "cold pages of {size} bytes; the disk gives its control group {share:g} of what visitors request; a listen queue of {queue}", "nginx prefork event",
    "its threads are in state D, the device is busy or throttled",
    lambda r, w: {"size": r.choice([250_000, 500_000]), "share": r.choice([0.35, 0.5]), "queue": r.choice([16, 128, 511]), "processes": r.choice([1, 4]), "crew": r.choice([6, 60])})
def disk(d, w):
    reads = d.group("reads").on_disk_of(d.stage.work)
    server = server_of(d, w, groups=[reads], backlog=w.p["queue"])
    count, demand = 200_000_000 // w.p["size"], 4_000_000
    server.pages(count, w.p["size"])
    d.visitors(demand / w.p["size"], pages=count)

    def begin():
        reads.limit(int(demand * w.p["share"]))
        for page in os.scandir(server.dir + "/www/page"):
            with open(page.path, "rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    d.onset(begin)
    d.cure(lambda: reads.limit(None))


# ---- link -------------------------------------------------------------------------------------------------------------


def link_fault(key, at, where, told):
    @fault(key, BANDWIDTH, "%s carries {mbit:g} Mbit/s; visitors request {demand:g}" % where, "nginx event tomcat haproxy", told,
        lambda r, w: (lambda rate, size, share: {"rate": rate, "size": size, "demand": round(rate * size * 8 / 1e6, 1), "mbit": round(rate * size * 8 / 1e6 * share, 1)})(
            r.choice([15, 20]), r.choice([40_000, 60_000, 90_000]), r.choice([0.3, 0.4, 0.5])), link="hop")
    def build(d, w):
        w.size = w.p["size"]
        server_of(d, w)
        d.visitors(w.p["rate"], patience=15, **path_of(w))
        d.onset(lambda: d.link.shape(w.p["mbit"], at))
        d.cure(lambda: d.link.unshape(at))


link_fault("shaped", "server", "its own interface (tbf)", "the queue of its device drops or overruns")
link_fault("beyond", "hop", "a line beyond the next hop (tbf)", "retransmission rises with all clients while the total stays flat")


@fault("cut-off", "unreachable", "the link of its host goes down; a probe at the visitors' side sees it", "nginx event", "no packet from its host", link="hop", far=True, hold=15)
def cut_off(d, w):
    server_of(d, w).pages(8, w.size)
    d.visitors(w.rate, pages=8, patience=5)
    d.onset(lambda: d.link.cut())
    d.cure(lambda: d.link.cut(False))


# ---- errors -----------------------------------------------------------------------------------------------------------


@fault("errors", FAILING, "its application responds with 500 to all", "prefork worker event tomcat gunicorn uwsgi php", "responses are errors while no resource is short")
def errors(d, w):
    server = ordinary(d, w)
    d.onset(server.break_application)
    d.cure(lambda: server.break_application(False))


@fault("half", FAILING, "{share} % of the requests get no response: their connections are {how}", "nginx haproxy", "connections end without a response",
    lambda r, w: {"share": r.choice([45, 55, 65]), "how": "closed" if w.key == "nginx" else "reset"})
def half(d, w):
    share = w.p["share"]
    if w.key == "nginx":
        server = ordinary(d, w)
        plain = server.http
        d.onset(lambda: server.reload(http=plain + 'split_clients "$remote_addr$remote_port" $none { %d%% 1; * 0; }' % share, location="if ($none) { return 444; }"))
        d.cure(lambda: server.reload(http=plain, location=""))
    else:
        server = ordinary(d, w, rules="")
        d.onset(lambda: server.reload(rules="option nolinger\n  http-request reject if { rand(100) lt %d }" % share))
        d.cure(lambda: server.reload(rules=""))


@fault("half-dead", FAILING, "the master and two of four workers are killed; each worker has a listen queue of its own", "nginx", "connections in the queue of a listening socket that no process has", lambda r, w: {"processes": 4},
    also=(PROCESSES, SOCKETS))
def half_dead(d, w):
    server = ordinary(d, w, listen="reuseport")

    def begin():
        crew = server.workers_running()
        d.stage.signal([server.process.pid, *crew[:2]], signal.SIGKILL)

    def repair():
        server.kill()
        server.start()

    d.onset(begin)
    d.cure(repair)


@fault("wrong-root", FAILING, "a reload with another document root: every page is 404", "nginx event", "responses are 404 for pages that were known")
def wrong_root(d, w):
    server = server_of(d, w)
    server.pages(8, w.size)
    os.makedirs(server.dir + "/elsewhere")
    d.visitors(w.rate, pages=8)
    d.onset(lambda: server.reload(root=server.dir + "/elsewhere"))
    d.cure(lambda: server.reload(root=server.dir + "/www"))
