"""The drills: a server, its visitors, one fault, and the state that must be named first.

Rates are visits a second of a Poisson process in an open loop: arrivals do not depend on earlier responses. `d` is a Run (drill.py).
"""

import os
import signal
import time

from app_servers import Gunicorn, PhpFpm, Uwsgi
from drill import Drill
from servers import Apache, Haproxy, Komainu, Nginx, Origin, Squid, Tomcat, Varnish

DRILLS = []


def drill(name, server, fault, expected, needs=(), **rest):
    def enter(build):
        DRILLS.append(Drill(name, server, fault, expected, build, needs, **rest))
        return build

    return enter


def many(kinds):
    """One drill for several servers: the function is called with each."""
    return lambda entering: [entering(*kind) for kind in kinds]


# ---- processes: every worker is busy while the CPU is partly idle (thesis 3.4.2.2) ----------------------------


@many([("prefork", "Apache prefork"), ("worker", "Apache worker"), ("event", "Apache event")])
def apache_workers(mpm, title):
    @drill(mpm + "-workers", title, "6 workers, each visitor takes one for 0.2 s; 45 more visitors a second", "saturated/processes", ["apache2"])
    def build(d):
        d.serve(Apache, mpm=mpm, workers=6)
        d.visitors(8, "/app?sleep=200")
        d.crowd(45, "/app?sleep=200")


@drill("tomcat-threads", "Tomcat", "6 threads, each visitor takes one for 0.2 s; 45 more visitors a second", "saturated/processes", ["tomcat"])
def tomcat_threads(d):
    d.serve(Tomcat, threads=6, accept=128)
    d.visitors(8, "/app?sleep=200")
    d.crowd(45, "/app?sleep=200")


@drill("varnish-threads", "Varnish", "12 threads before an origin that takes 0.4 s; 20 more visitors a second", "saturated/processes", ["varnishd", "cc"])
def varnish_threads(d):
    origin = d.serve(Origin, "origin", watched=False, think=400)
    d.serve(Varnish, origin=origin, threads=(10, 12))
    d.visitors(8)
    d.crowd(20)  # a request takes two threads, so 15 a second are served: a longer queue would not be empty before the observation ends


@drill("prefork-ramp", "Apache prefork", "one spare worker, each visitor takes one for 2 s; 120 more visitors a second arrive while processes are forked", "saturated/processes", ["apache2"])
def prefork_ramp(d):
    d.serve(Apache, workers=400, spares=(1, 1, 2))
    d.visitors(4, "/app?sleep=2000")
    d.crowd(120, "/app?sleep=2000", patience=20)


# ---- sockets: descriptors, connection slots, listen queue, ports (thesis 3.4.2.1) ---------------------------------


@drill("nginx-connections", "nginx", "worker_connections 128; 60 more visitors a second, each holds one for 4 s", "saturated/sockets", ["nginx"])
def nginx_connections(d):
    d.serve(Nginx, connections=128, location="limit_rate 4k; limit_rate_after 1k;").pages(1, 17_000)
    d.visitors(8, "/page/1.html")
    d.crowd(60, "/page/1.html")


@drill("haproxy-connections", "HAProxy", "maxconn 30 before an origin that takes 0.5 s; 80 more visitors a second", "saturated/sockets", ["haproxy"])
def haproxy_connections(d):
    origin = d.serve(Origin, "origin", watched=False, think=500)
    d.serve(Haproxy, origin=origin, connections=30)
    d.visitors(15)
    d.crowd(80)


@drill("tomcat-connections", "Tomcat", "maxConnections 40 with 200 threads; 25 more visitors a second take 3 s each", "saturated/sockets", ["tomcat"])
def tomcat_connections(d):
    d.serve(Tomcat, connections=40, accept=10)
    d.visitors(15, "/app?sleep=5")
    d.crowd(25, "/app?sleep=3000")


@drill("nginx-files", "nginx", "worker_rlimit_nofile 64; 60 more visitors a second, each holds a descriptor or two for 4 s", "saturated/sockets", ["nginx"])
def nginx_files(d):
    d.serve(Nginx, files=64, location="limit_rate 4k; limit_rate_after 1k;").pages(1, 17_000)
    d.visitors(2.5, "/page/1.html")
    d.crowd(60, "/page/1.html")


@drill("squid-files", "Squid", "max_filedescriptors 256 before an origin that takes 2 s; 100 more visitors a second", "saturated/sockets", ["squid"], hold=12)
def squid_files(d):
    origin = d.serve(Origin, "origin", watched=False, think=2_000)
    d.serve(Squid, origin=origin, descriptors=256)
    d.visitors(6)
    d.crowd(100)


@drill("komainu-files", "Komainu", "prlimit --nofile 160 before an origin that takes 2 s; 60 more visitors a second", "saturated/sockets", hold=12)
def komainu_files(d):
    origin = d.serve(Origin, "origin", watched=False, think=2_000)
    d.serve(Komainu, origin=origin, files=160)
    d.visitors(6)
    d.crowd(60)


@drill("prefork-backlog", "Apache prefork", "ListenBacklog 1; twice a second 40 visitors arrive at once", "saturated/sockets", ["apache2"])
def prefork_backlog(d):
    d.serve(Apache, workers=40, backlog=1)
    d.visitors(5, "/app?sleep=5")
    d.crowd(2, "/app?sleep=5", together=40)


@drill("nginx-backlog", "nginx", "listen … backlog=1; twice a second 60 visitors arrive at once", "saturated/sockets", ["nginx"])
def nginx_backlog(d):
    d.serve(Nginx, backlog=1).pages(1, 2_000)
    d.visitors(5, "/page/1.html")  # with a higher rate, two visitors at once would overflow the queue
    d.crowd(2, "/page/1.html", together=60)


@many([("nginx", "nginx", Nginx, ["nginx"]), ("haproxy", "HAProxy", Haproxy, ["haproxy"]), ("squid", "Squid", Squid, ["squid"])])
def ports(short, title, kind, needs):
    @drill(short + "-ports", title, "ip_local_port_range of 40 ports towards an origin that takes 1 s; 60 more visitors a second", "saturated/sockets", needs, phase="ports")
    def build(d):
        origin = d.serve(Origin, "origin", watched=False, think=1_000)
        if kind is Nginx:
            d.serve(Nginx, location=Nginx.before(origin))
        else:
            d.serve(kind, origin=origin)
        d.visitors(10)
        d.crowd(60)
        # One namespace, so all drills of this phase change the range; the last change is effective.
        d.stage.undo(lambda: d.stage.sysctl("server", "net.ipv4.ip_local_port_range", "1024 65000"))
        d.onset(lambda: d.stage.sysctl("server", "net.ipv4.ip_local_port_range", "61000 61039"))
        d.cure(lambda: d.stage.sysctl("server", "net.ipv4.ip_local_port_range", "1024 65000"))


# ---- the origin behind a proxy ------------------------------------------------------------------------------------

PROXIES = [("nginx", "nginx", Nginx, ["nginx"]), ("haproxy", "HAProxy", Haproxy, ["haproxy"]), ("squid", "Squid", Squid, ["squid"]),
    ("varnish", "Varnish", Varnish, ["varnishd", "cc"]), ("komainu", "Komainu", Komainu, [])]


def proxy_before_origin(d, kind):
    origin = d.serve(Origin, "origin", watched=False, think=20, slow=1_500)
    d.serve(Nginx, location=Nginx.before(origin)) if kind is Nginx else d.serve(kind, origin=origin)
    d.visitors(15)
    return origin


@many(PROXIES)
def origin_slow(short, title, kind, needs):
    @drill(short + "-origin-slow", title, "the origin takes 1.5 s instead of 0.02 s", "upstream-fault", needs)
    def build(d):
        origin = proxy_before_origin(d, kind)
        d.onset(lambda: origin.process.send_signal(signal.SIGUSR1))
        d.cure(lambda: origin.process.send_signal(signal.SIGUSR2))


@many(PROXIES)
def origin_down(short, title, kind, needs):
    @drill(short + "-origin-down", title, "the origin is stopped", "upstream-fault", needs)
    def build(d):
        origin = proxy_before_origin(d, kind)
        d.onset(lambda: origin.kill())
        d.cure(lambda: origin.start())


# ---- stopped, cut off ---------------------------------------------------------------------------------------------


def something(d, kind):
    if kind in (Squid, Haproxy, Varnish, Komainu):
        d.serve(kind, origin=d.serve(Origin, "origin", watched=False, think=5))
        return "/"
    server = d.serve(kind, port=d.drill.port)
    server.pages(1, 2_000)
    return "/page/1.html" if kind in (Apache, Nginx) else "/app"


def again(server):
    server.stop()
    time.sleep(1)
    server.start()


@many([("nginx", "nginx", Nginx, ["nginx"]), ("prefork", "Apache prefork", Apache, ["apache2"]), ("haproxy", "HAProxy", Haproxy, ["haproxy"]), ("komainu", "Komainu", Komainu, [])])
def restart(short, title, kind, needs):
    @drill(short + "-restart", title, "stopped by SIGTERM and started again a second later", "stopped/restarting", needs, hold=12)
    def build(d):
        d.visitors(15, something(d, kind))
        d.onset(lambda: again(d.watched))


@many([("nginx", "nginx", Nginx, ["nginx"]), ("prefork", "Apache prefork", Apache, ["apache2"]), ("tomcat", "Tomcat", Tomcat, ["tomcat"]),
    ("squid", "Squid", Squid, ["squid"]), ("varnish", "Varnish", Varnish, ["varnishd", "cc"]), ("komainu", "Komainu", Komainu, [])])
def killed(short, title, kind, needs):
    @drill(short + "-killed", title, "kill -9 of all its processes, without a new start", "stopped/crashed", needs, hold=12)
    def build(d):
        d.visitors(15, something(d, kind))
        d.onset(lambda: d.watched.kill())
        d.cure(lambda: d.watched.start())


@drill("nginx-cut-off", "nginx on another host", "the host's link goes down; a probe at the visitors' side sees it", "unreachable", ["nginx"], link="hop", far=True, hold=15)
def cut_off(d):
    d.serve(Nginx).pages(1, 2_000)
    d.visitors(15, "/page/1.html", patience=5)
    d.onset(lambda: d.link.cut())
    d.cure(lambda: d.link.cut(False))


@drill("nginx-far-killed", "nginx on another host", "kill -9 on a host that stays up; a probe at the visitors' side sees it", "stopped/crashed", ["nginx"], link="hop", far=True, hold=12)
def far_killed(d):
    d.serve(Nginx).pages(1, 2_000)
    d.visitors(15, "/page/1.html", patience=5)
    d.onset(lambda: d.watched.kill())
    d.cure(lambda: d.watched.start())


# ---- no fault, but similar to one -----------------------------------------------------------------------------------


@many([("nginx", "nginx", Nginx, ["nginx"]), ("event", "Apache event", Apache, ["apache2"])])
def slow_clients(short, title, kind, needs):
    @drill(short + "-slow-clients", title, "half of the visitors use lines of 256 kbit/s", "normal", needs, link="wan", wan=("--ip", "10.98.{n}.20+10=5@256"), hold=30)
    def build(d):
        (d.serve(Nginx) if kind is Nginx else d.serve(Apache, mpm="event", workers=200)).pages(8, 40_000)
        d.visitors(10, pages=8, clients=d.link.some(10, 10))
        d.crowd(10, pages=8, patience=30, clients=d.link.some(20, 10))


@many([("nginx", "nginx", Nginx, ["nginx"]), ("event", "Apache event", Apache, ["apache2"])])
def flash_crowd(short, title, kind, needs):
    @drill(short + "-flash-crowd", title, "ten times as many visitors, within its capacity", "normal", needs, hold=30)
    def build(d):
        (d.serve(Nginx) if kind is Nginx else d.serve(Apache, mpm="event", workers=200)).pages(8, 4_000)
        d.visitors(12, pages=8)
        d.crowd(108, pages=8)


@drill("nginx-lossy-clients", "nginx", "visitors from a network that loses 4 % of all packets", "normal", ["nginx"], link="wan", wan=("--both", "delay=10,loss=0.04"), hold=30)
def lossy_clients(d):
    d.serve(Nginx).pages(8, 8_000)
    d.visitors(20, pages=8, via=d.plain)
    d.crowd(20, pages=8)


@drill("prefork-long-polls", "Apache prefork", "visitors whose requests take 5 s, within the capacity of its workers", "normal", ["apache2"], hold=30)
def long_polls(d):
    d.serve(Apache, workers=150)
    d.visitors(20, "/app?sleep=10")
    d.crowd(8, "/app?sleep=5000", patience=20)


# ---- the link -----------------------------------------------------------------------------------------------------


@drill("nginx-shaped", "nginx", "tc tbf on the server's own interface: 3 Mbit/s for visitors who request 8", "saturated/bandwidth", ["nginx"], link="hop")
def shaped(d):
    d.serve(Nginx).pages(8, 50_000)
    d.visitors(20, pages=8, patience=15)
    d.onset(lambda: d.link.shape(3))
    d.cure(lambda: d.link.unshape())


@drill("event-narrow", "Apache event", "tc tbf at the next hop: 3 Mbit/s for visitors who request 8", "saturated/bandwidth", ["apache2"], link="hop")
def narrow(d):
    d.serve(Apache, mpm="event", workers=300).pages(8, 50_000)
    d.visitors(20, pages=8, patience=15)
    d.onset(lambda: d.link.shape(3, "hop"))
    d.cure(lambda: d.link.unshape("hop"))


# ---- the machine: one at a time -----------------------------------------------------------------------------------


@many([("prefork", "Apache prefork", Apache, "apache2"), ("tomcat", "Tomcat", Tomcat, "tomcat")])
def quota(short, title, kind, package):
    @drill(short + "-quota", title, "its control group gets 0.1 core; it uses 0.25", "saturated/cpu", [package], phase=short + "-quota")
    def build(d):
        cpu = d.group("cpu")
        d.serve(kind, groups=[cpu])
        d.visitors(30, "/app?cpu=8")
        d.onset(lambda: cpu.limit(0.1))
        d.cure(lambda: cpu.limit(None))


def burners(d):
    crew = []

    def begin():
        for n in range(4 * (os.cpu_count() or 1)):
            crew.append(d.stage.start("%s-burner%d" % (d.drill.name, n), ["python3", "-c", "while True: pass"]))

    def end():
        while crew:
            d.stage.end(crew.pop(), 1)

    d.onset(begin)
    d.cure(end)


@drill("prefork-competition", "Apache prefork", "four busy programs per core on the same machine", "saturated/cpu", ["apache2"], phase="competition")
def competition(d):
    d.serve(Apache, workers=60)
    d.visitors(40, "/app?cpu=10")
    burners(d)


@drill("prefork-cpu", "Apache prefork", "requests for three times the work that the CPUs can do", "saturated/cpu", ["apache2"], phase="cpu")
def own_work(d):
    d.serve(Apache, workers=60)
    d.visitors(10, "/app?cpu=40")
    d.crowd(75 * (os.cpu_count() or 1), "/app?cpu=40", patience=4)


@drill("prefork-kernel", "Apache prefork", "requests that cause kernel work: its share of the CPU is above 90 %", "saturated/cpu", ["apache2"], phase="kernel")
def kernel(d):
    d.serve(Apache, workers=40)
    d.visitors(5, "/app?read=1024")
    d.crowd(30 * (os.cpu_count() or 1), "/app?read=32768", patience=4)


@drill("prefork-fat", "Apache prefork", "children that grow to 24 MB; the load causes more than 30 of them in a control group of 500 MB", "saturated/memory", ["apache2"], phase="fat")
def fat(d):
    memory = d.group("memory")
    memory.limit(500 << 20)
    # A short queue: otherwise visitors that left long ago keep too many children alive, and the kernel keeps killing them.
    d.serve(Apache, workers=60, spares=(4, 2, 6), backlog=64, groups=[memory])
    d.visitors(10, "/app?sleep=20&keep=24")
    d.crowd(40, "/app?sleep=800&keep=24")


@drill("event-squeezed", "Apache event", "its control group's memory falls to 30 MB while it maps pages of 150 MB, 30 MB of them a second; the disk gives 10", "saturated/memory", ["apache2"], phase="squeezed")
def squeezed(d):
    memory = d.group("memory")
    # A disk as slow as a shared volume: a fast one reads every page back in time, and memory is not short.
    reads = d.group("reads").on_disk_of(d.stage.work)
    server = d.serve(Apache, mpm="event", workers=100, more="EnableMMAP On\nEnableSendfile Off", groups=[memory, reads])
    server.pages(600, 250_000)
    cold(server)  # the group that reads a page first is charged for it
    d.visitors(120, pages=600)

    def squeeze():
        reads.limit(10 << 20)
        memory.limit(30 << 20)

    def loosen():
        memory.limit(None)
        reads.limit(None)

    d.onset(squeeze)
    d.cure(loosen)


def cold(server):
    """Removes its pages from the page cache, as on a machine that needs the memory for other programs."""
    for name in os.listdir(server.dir + "/www/page"):
        with open("%s/www/page/%s" % (server.dir, name), "rb") as page:
            os.fsync(page.fileno())
            os.posix_fadvise(page.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


@many([("nginx", "nginx", Nginx, "nginx"), ("prefork", "Apache prefork", Apache, "apache2")])
def disk(short, title, kind, package):
    @drill(short + "-disk", title, "its pages are not in the page cache, and the disk gives its control group 2 MB/s; visitors request 4", "saturated/disk", [package], phase=short + "-disk")
    def build(d):
        reads = d.group("reads").on_disk_of(d.stage.work)
        server = d.serve(kind, groups=[reads], **({"workers": 60} if kind is Apache else {}))
        server.pages(400, 500_000)
        d.visitors(8, pages=400)

        def begin():
            reads.limit(2 << 20)
            cold(server)

        d.onset(begin)
        d.cure(lambda: reads.limit(None))


# ---- an hour without any fault ------------------------------------------------------------------------------------


def undisturbed(minutes):
    """One server of each kind with a constant load for this time: any state but normal is a false alarm."""
    made = []
    for short, title, kind, needs in [("prefork", "Apache prefork", Apache, ["apache2"]), ("nginx", "nginx", Nginx, ["nginx"]), ("tomcat", "Tomcat", Tomcat, ["tomcat"]),
        ("squid", "Squid", Squid, ["squid"]), ("haproxy", "HAProxy", Haproxy, ["haproxy"]), ("varnish", "Varnish", Varnish, ["varnishd", "cc"]), ("komainu", "Komainu", Komainu, []),
        ("gunicorn", "gunicorn", Gunicorn, ["gunicorn"]), ("uwsgi", "uWSGI", Uwsgi, ["uwsgi"]), ("php", "php-fpm behind nginx", PhpFpm, ["nginx", "php-fpm"])]:
        def build(d, kind=kind):
            d.visitors(20, something(d, kind))

        made.append(Drill("undisturbed-" + short, title, "none, for %g minutes" % minutes, "normal", build, needs, hold=minutes * 60))
        made[-1].named_port = kind in (Gunicorn, Uwsgi)  # the agent may not know these programs as web servers
    return made
