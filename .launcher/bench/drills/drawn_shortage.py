"""Drawn faults: CPU time, memory or the disk is short."""

import os

from compressing import TEXT, compress_each
from drawn_faults import CPU, DISK, MEMORY, PROCESSES, fault
from drawn_kinds import path_of, server_of

CORES = os.cpu_count() or 1

# ---- CPU --------------------------------------------------------------------------------------------------------------


@fault("quota", CPU, "its control group gets {quota:g} core; it uses {used:g}", "prefork tomcat gunicorn uwsgi php", "its control group is throttled",
    lambda r, w: {"cpu": r.choice([8, 15, 25]), "used": 0.25, "quota": r.choice([0.08, 0.1, 0.12])})
def quota(d, w):
    group = d.group("cpu")
    server_of(d, w, groups=[group])
    d.visitors(w.p["used"] * 1000 / w.p["cpu"], **path_of(w, sleep=0, cpu=w.p["cpu"]))
    d.onset(lambda: group.limit(w.p["quota"]))
    d.cure(lambda: group.limit(None))


COMPETITORS = {"plain": "programs of the same priority", "nice": "programs of a higher priority", "groups": "programs, each in a control group with 8 times the usual share"}


@fault("others", CPU, "{count} busy {what}", "prefork event tomcat gunicorn php", "other programs use the cores; its threads wait in the run queue",
    lambda r, w: (lambda how: {"how": how, "what": COMPETITORS[how], "count": r.choice([4, 6]) * CORES, "cpu": r.choice([10, 15])})(r.choice(sorted(COMPETITORS))), alone=True)
def others(d, w):
    server_of(d, w)
    d.visitors(round(0.5 * 1000 / w.p["cpu"]), **path_of(w, sleep=0, cpu=w.p["cpu"]))
    groups = [d.group("cpu", str(n)) for n in range(w.p["count"])] if w.p["how"] == "groups" else []
    for group in groups:
        group.weigh(8)
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
    # uWSGI within TLS: its one process waits for the handshake of a visitor that has gone, and uses no CPU: another fault.
    "one process uses a whole core while others are idle", lambda r, w: {"crew": 1, "processes": 1, "cpu": r.choice([15, 25]), "factor": r.choice([1.5, 2, 2.5])}, also=(PROCESSES,), alone=True, clear=("uwsgi",))
def one_core(d, w):
    if w.key != "nginx":
        server_of(d, w)
        asked = path_of(w, sleep=0, cpu=w.p["cpu"])
        cost = w.p["cpu"] / 1000
    else:
        server = server_of(d, w)
        cost, asked = compress_each(server, w.seed, w.p["cpu"] * 12_000), {"path": TEXT}
    d.visitors(0.15 / cost, **asked)
    d.crowd(w.p["factor"] / cost, patience=4, **asked)


@fault("runtime", CPU, "a heap that is full but for 6 MB; each request makes {churn} MB of garbage, so the collector uses the CPU", "tomcat",
    "threads of the collector use the CPU",
    # In clear text: TLS and HTTP/2 need buffers of their own, and a Tomcat without memory for them does not serve again when the heap is free.
    lambda r, w: {"churn": r.choice([8, 10]), "rate": r.choice([20, 30])}, also=(MEMORY,), alone=True, clear=("tomcat",))
def runtime(d, w):
    server = server_of(d, w, heap=64)
    d.visitors(w.p["rate"], **path_of(w, churn=w.p["churn"]))
    d.onset(lambda: server.write("leak", "6"))
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
