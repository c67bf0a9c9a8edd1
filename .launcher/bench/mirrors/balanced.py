"""A site of four equal servers behind HAProxy: their links, control groups and pages, the balancer, and the clients.

    crowd 10.95.N.10+24 ── client 10.95.N.1 HAProxy ── [hop: a bridge] ── server 10.98.L.1 one of the four

Clients of the lower addresses are spread by turns, half of them with a cookie that keeps them at one server; those of the upper addresses by a hash of
their address. The agent is on the servers' host, so it sees the requests that HAProxy sends.
"""

import os
import random
import signal
import sys
import threading
import time

from app_servers import Gunicorn
from catalogue import cold
from servers import Apache, Haproxy, Nginx
from stage import Group, used_seconds

HERE = os.path.dirname(os.path.abspath(__file__))
SERVERS = 4
CLIENTS = 24       # of each site
REQUESTS = 40      # a second, on average
WORKERS = 16       # of Apache; threads of the application behind nginx
CONNECTIONS = 512  # of nginx
PAGES, PAGE_BYTES = 60, 24_000
COLD_AFTER = 0.25  # seconds after which a page is no longer in the page cache


class Mirror:
    """One of the four servers, with its link and its control groups."""

    def __init__(self, stage, site, number):
        self.stage, self.number = stage, number
        self.link, self.port = stage.link("hop"), stage.port()
        self.name = "%s-%d" % (site, number + 1)
        self.make = KINDS[site]

    def start(self):
        self.server = self.make(self.stage, self.name, self.link.server, self.port)
        self.cpu, self.reads = Group(self.stage, self.name, "cpu"), Group(self.stage, self.name, "reads").on_disk_of(self.stage.work)
        write_pages(self.server)
        self.server.start()
        self.server.await_listening()
        for group in (self.cpu, self.reads):
            group.take(self.server.processes())
        cold(self.server)
        page = self.server.dir + "/www/page/%d.html"
        self.open_pages = [os.open(page % n, os.O_RDONLY) for n in range(1, PAGES + 1)]

    def cool(self):
        """Removes its pages from the page cache, as on a host that needs the memory for other programs: they are read from the disk again."""
        for page in self.open_pages:
            os.posix_fadvise(page, 0, 0, os.POSIX_FADV_DONTNEED)

    def used(self):
        """CPU seconds of its processes until now."""
        return used_seconds(self.server.processes())


def write_pages(server):
    """/page/1.html to /page/PAGES.html, the same in every mirror; sizes from some hundred bytes to more than 100 KB."""
    chance = random.Random(11)
    for n in range(1, PAGES + 1):
        server.write("www/page/%d.html" % n, "komainu " * int(chance.lognormvariate(0, 0.9) * PAGE_BYTES / 1.5 / 8 + 16))


class NginxWithApplication(Nginx):
    """nginx that serves pages itself and passes /app to a WSGI application of its own."""

    needs = ("nginx", "gunicorn")

    def __init__(self, stage, name, **rest):
        super().__init__(stage, name, **rest)
        self.application = Gunicorn(stage, name + "-application", threads=WORKERS, workers=1, address="127.0.0.1")
        self.location = "location /app { proxy_pass http://127.0.0.1:%d; }" % self.application.port

    def start(self):
        self.application.start()
        self.application.await_listening()
        super().start()

    def processes(self):
        return super().processes() + self.application.processes()


class Prefork(Apache):
    """Apache whose reload closes its workers at once: after a graceful one it starts no more workers than before."""

    reload_signal = signal.SIGHUP


KINDS = {
    "nginx": lambda stage, name, address, port: NginxWithApplication(stage, name, address=address, port=port, connections=CONNECTIONS),
    "prefork": lambda stage, name, address, port: Prefork(stage, name, address=address, port=port, workers=WORKERS),
}
TITLES = {"nginx": "nginx with gunicorn", "prefork": "Apache prefork"}


class Balancer(Haproxy):
    """HAProxy before the mirrors. The response tells which of them answered."""

    def __init__(self, stage, name, mirrors, hashed, **rest):
        """hashed: network of the clients that a hash of their address keeps at one server."""
        super().__init__(stage, name, origin=None, **rest)
        self.mirrors, self.hashed, self.ns = mirrors, hashed, "client"

    def command(self):
        def servers(more):
            return "\n".join("  server m%d %s:%d check inter 2s fall 5%s" % (m.number + 1, m.link.server, m.port, more % (m.number + 1) if more else "") for m in self.mirrors)

        config = self.write("haproxy.cfg", f"""
global
  nbthread 1
  maxconn 2000
defaults
  mode http
  timeout client 30s
  timeout server 30s
  timeout connect 3s
frontend f
  bind {self.address}:{self.port}
  use_backend hashed if {{ src {self.hashed} }}
  default_backend turns
  http-response set-header X-Mirror %s
backend turns
  balance roundrobin
  cookie MIRROR insert indirect nocache
{servers(" cookie m%d")}
backend hashed
  balance source
  hash-type consistent
{servers("")}
""")
        return ["/usr/sbin/haproxy", "-db", "-f", config]


class Site:
    """Four mirrors of one kind, their balancer and their clients."""

    def __init__(self, stage, name, number):
        """Creates the network, before the agent starts."""
        self.stage, self.name, self.net = stage, name, "10.95.%d" % number
        self.mirrors = [Mirror(stage, name, n) for n in range(SERVERS)]
        self.group = "mirror=" + name
        stage.cable("crowd", "kdq%d" % number, "client", "kdr%d" % number)
        for first in (10, 128):
            stage.address("crowd", "kdq%d" % number, "%s.%d" % (self.net, first), CLIENTS)
        stage.address("client", "kdr%d" % number, self.net + ".1")
        self.stopping = threading.Event()
        self.visits = os.path.join(stage.work, name + "-visits")

    def labels(self):
        return ["%d:%s" % (mirror.port, self.group) for mirror in self.mirrors]

    def start(self):
        for mirror in self.mirrors:
            mirror.start()
        self.balancer = Balancer(self.stage, self.name + "-balancer", self.mirrors, self.net + ".128/25", address=self.net + ".1")
        self.balancer.start()
        self.balancer.await_listening()
        self.stage.start(self.name + "-clients", [sys.executable, "-B", HERE + "/uneven.py", "%s.1:%d" % (self.net, self.balancer.port), self.net, CLIENTS, REQUESTS,
            PAGES, self.visits], ns="crowd")
        threading.Thread(target=self.keep_cold, daemon=True).start()

    def keep_cold(self):
        while not self.stopping.wait(COLD_AFTER):
            for mirror in self.mirrors:
                mirror.cool()

    def use(self, mirror, seconds):
        """Cores that one mirror uses now."""
        begun, before = time.monotonic(), mirror.used()
        time.sleep(seconds)
        return max(0, mirror.used() - before) / (time.monotonic() - begun)

    def used(self):
        return sum(mirror.used() for mirror in self.mirrors)

    def number_of(self, service):
        """The mirror with this service's id; None when it is none of this site."""
        port = service.rpartition(":")[2]
        return next((m.number for m in self.mirrors if str(m.port) == port), None)
