"""Drawn faults: a link is full or down, or requests fail."""

import os
import signal

from drawn_faults import BANDWIDTH, FAILING, PROCESSES, SOCKETS, fault, ordinary
from drawn_kinds import path_of, server_of

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


# Not uWSGI within TLS: there only an access log tells, and the agent does not read uWSGI's.
@fault("errors", FAILING, "its application responds with 500 to all", "prefork worker event tomcat gunicorn uwsgi php", "responses are errors while no resource is short", clear=("uwsgi",))
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
