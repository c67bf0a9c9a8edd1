"""Cure drills for cells of the table leaf × kind of server (docs/leaves.md) that no drill of the catalogue reaches, and the mended open ones.

Each yields (Drill, setting that the wizard is expected to name). A drill of the same name replaces the catalogue's in cure runs.
"""

import os

from app_servers import Gunicorn, Uwsgi
from applications import WSGI
from compressing import TEXT, compress_each
from drill import Drill
from gzip_visitors import gzip_visitors
from servers import MODULES, Apache, Komainu, Nginx, Origin, Tomcat


class SoftKomainu(Komainu):
    """A Komainu whose soft limit of open files is low and whose hard limit is the machine's: raising it needs no privilege. Java raises its soft limit
    itself unless told not to."""

    def __init__(self, stage, name, soft=160, **rest):
        super().__init__(stage, name, **rest)
        self.soft = soft

    def command(self):
        line = super().command()
        return ["sh", "-c", 'ulimit -Sn %d && exec "$@"' % self.soft, "sh", line[0], "-XX:-MaxFDLimit"] + line[1:]


class FiledKomainu(Komainu):
    """A Komainu with a file of settings, which orders can change."""

    def __init__(self, stage, name, connections=40, **rest):
        super().__init__(stage, name, **rest)
        self.connections = connections

    def command(self):
        config = self.write("komainu-proxy.yaml", "connections:\n  max: %d\n" % self.connections)
        return super().command() + ["--config", config]


class FiledGunicorn(Gunicorn):
    """A gunicorn with a file of settings, which orders can change."""

    def command(self):
        self.write("application.py", WSGI)
        config = self.write("gunicorn.conf.py", "".join("%s = %r\n" % setting for setting in [
            ("bind", "%s:%d" % (self.address, self.port)), ("workers", self.workers), ("backlog", self.backlog), ("timeout", self.timeout), ("chdir", self.dir),
            ("worker_tmp_dir", self.dir), ("user", "www-data"), ("loglevel", "warning"), ("accesslog", self.dir + "/access.log")]))
        return ["/usr/bin/gunicorn", "--config", config, "application:application"]


class FiledUwsgi(Uwsgi):
    """A uWSGI with a file of settings, which orders can change."""

    def command(self):
        config = self.write("uwsgi.ini", "[uwsgi]\n" + "".join("%s = %s\n" % setting for setting in [
            ("plugin", "python3"), ("http-socket", "%s:%d" % (self.address, self.port)), ("wsgi-file", self.write("application.py", WSGI)), ("need-app", "true"),
            ("master", "true"), ("die-on-term", "true"), ("master-as-root", "true"), ("processes", self.workers), ("listen", self.backlog), ("socket-timeout", self.timeout),
            ("uid", "www-data"), ("gid", "www-data"), ("disable-logging", "true")]))
        return ["/usr/bin/uwsgi-core", "--ini", config]


def tomcat_connections(d):
    """All visitors take 3 s, before the fault and in it, so that a long response time is usual and only the connections are short."""
    d.serve(Tomcat, connections=40, accept=10)
    d.visitors(6, "/app?sleep=3000", patience=20)
    d.crowd(19, "/app?sleep=3000", patience=20)


def komainu_files(d):
    d.serve(SoftKomainu, origin=d.serve(Origin, "origin", watched=False, think=2_000))
    d.visitors(6)
    d.crowd(90)


def komainu_connections(d):
    d.serve(FiledKomainu, origin=d.serve(Origin, "origin", watched=False, think=500))
    d.visitors(15)
    d.crowd(100)


def tomcat_quota(d):
    cpu = d.group("cpu")
    d.serve(Tomcat, groups=[cpu])
    d.visitors(30, "/app?cpu=20")
    d.onset(lambda: cpu.limit(0.1))
    d.cure(lambda: cpu.limit(None))


def tomcat_backlog(d):
    d.serve(Tomcat, threads=40, accept=1)
    d.visitors(5, "/app?sleep=5")
    d.crowd(2, "/app?sleep=5", together=80)


def threaded_backlog(mpm):
    def build(d):
        d.serve(Apache, mpm=mpm, workers=40, backlog=1)
        d.visitors(5, "/app?sleep=5")
        d.crowd(2, "/app?sleep=5", together=40)
    return build


def nginx_gzip(d):
    d.serve(Nginx).pages(8, 60_000)
    gzip_visitors(d, 12, 8)
    d.onset(lambda: d.link.shape(3))
    d.cure(lambda: d.link.unshape())


def nginx_loops(d):
    """Its one worker compresses each page; all visitors request what one and a quarter cores can compress."""
    cost = compress_each(d.serve(Nginx), 1, 240_000)
    d.visitors(0.15 / cost, TEXT)
    d.crowd(1.1 / cost, TEXT, patience=4)


def apache_deflate(mpm):
    def build(d):
        d.serve(Apache, mpm=mpm, workers=300, more="LoadModule filter_module %s/mod_filter.so\nLoadModule deflate_module %s/mod_deflate.so" % (MODULES, MODULES)).pages(8, 60_000)
        gzip_visitors(d, 12, 8)
        d.onset(lambda: d.link.shape(3))
        d.cure(lambda: d.link.unshape())
    return build


def waiting(kind, path="/app?sleep=200", **few):
    """Workers that wait: more visitors than they can serve."""
    def build(d):
        d.serve(kind, **few)
        d.visitors(5, path)
        d.crowd(30, path)
    return build


def bursts(kind, **short):
    """A listen queue that bursts overflow."""
    def build(d):
        d.serve(kind, **short)
        d.visitors(3, "/app?sleep=5")
        d.crowd(2, "/app?sleep=5", together=40)
    return build


def too_many(mpm):
    """Workers that grow in turn in a control group that holds few of them."""
    def build(d):
        memory = d.group("memory")
        memory.limit(500 << 20)
        d.serve(Apache, mpm=mpm, workers=60, groups=[memory])
        d.visitors(10, "/app?sleep=20")
        d.crowd(30, "/app?sleep=20&keep=24")
    return build


def drills():
    ready = os.path.isdir
    yield Drill("tomcat-connections", "Tomcat", "maxConnections 40 with 200 threads; 19 more visitors a second take 3 s each, as all do", "saturated/sockets", tomcat_connections, ["tomcat"]), "maxConnections"
    yield Drill("komainu-files", "Komainu", "a soft limit of 160 open files before an origin that takes 2 s; 90 more visitors a second", "saturated/sockets", komainu_files, hold=12), "limit:nofile"
    yield Drill("komainu-connections", "Komainu", "connections.max 40 before an origin that takes 0.5 s; 100 more visitors a second", "saturated/sockets", komainu_connections), "connections.max"
    yield Drill("tomcat-quota", "Tomcat", "its control group gets 0.1 core; it uses more", "saturated/cpu", tomcat_quota, ["tomcat"], phase="tomcat-quota"), "cgroup:cpu.max"
    yield Drill("tomcat-backlog", "Tomcat", "acceptCount 1; twice a second 80 visitors arrive at once", "saturated/sockets", tomcat_backlog, ["tomcat"]), "acceptCount"
    for mpm in ("worker", "event"):
        yield Drill(mpm + "-backlog", "Apache " + mpm, "ListenBacklog 1; twice a second 40 visitors arrive at once", "saturated/sockets", threaded_backlog(mpm), ["apache2"]), "ListenBacklog"
    yield Drill("nginx-gzip", "nginx", "3 Mbit/s on its interface for visitors of text pages who request 6 and accept gzip", "saturated/bandwidth", nginx_gzip, ["nginx"], link="hop"), "gzip"
    for mpm in ("prefork", "worker", "event"):
        if ready(MODULES):
            yield Drill(mpm + "-deflate", "Apache " + mpm, "3 Mbit/s on its interface for visitors of text pages who request 6 and accept gzip", "saturated/bandwidth", apache_deflate(mpm), ["apache2"], link="hop"), "SetOutputFilter"
    yield Drill("nginx-loops", "nginx", "one worker process that compresses each page; visitors request what 1.25 cores can compress", "saturated/cpu", nginx_loops, ["nginx"], phase="nginx-loops"), "worker_processes"
    yield Drill("gunicorn-workers", "gunicorn", "2 workers, each visitor takes one for 0.2 s; 30 more visitors a second", "saturated/processes", waiting(FiledGunicorn, workers=2), Gunicorn.needs), "workers"
    yield Drill("uwsgi-processes", "uWSGI", "2 processes, each visitor takes one for 0.2 s; 30 more visitors a second", "saturated/processes", waiting(FiledUwsgi, workers=2), Uwsgi.needs), "processes"
