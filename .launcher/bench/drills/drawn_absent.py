"""Drawn faults: the backend, or the server itself, does not respond."""

import signal
import time

from drawn_faults import CRASHED, RESTARTING, UPSTREAM, fault, ordinary
from drawn_kinds import origin_of, path_of, server_of

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
