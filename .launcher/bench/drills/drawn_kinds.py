"""The kinds of servers of the drawn drills: what each can do, and how one is made for a draw."""

import os
import threading

from app_servers import Gunicorn, PhpFpm, Uwsgi
from servers import Apache, Haproxy, Komainu, Nginx, Origin, Squid, Tomcat, Varnish
from stage import run


class Kind:
    """protocols: of the visitors' connections. application: it has /app. children: it has worker processes besides its first process.
    reloads: it applies its settings again at a signal, without a new start."""

    def __init__(self, title, needs, make, protocols, application=False, children=False, reloads=False, proxy=False):
        self.title, self.needs, self.make, self.protocols = title, needs, make, protocols
        self.application, self.children, self.reloads, self.proxy = application, children, reloads, proxy


def apache(mpm):
    def make(d, w, workers, o):
        timeouts = "Timeout %d\nKeepAliveTimeout %d\n" % (w.timeout, w.keep_alive)
        return d.serve(Apache, mpm=mpm, workers=workers, more=timeouts + o.pop("more", ""), **o)
    return make


def nginx(d, w, workers, o):
    http = "keepalive_requests 1000; client_body_timeout %ds; send_timeout %ds; " % (w.timeout, w.timeout)
    origin = o.pop("origin", None)
    if origin:
        o["location"] = Nginx.before(origin) + " proxy_read_timeout %ds; " % w.timeout + o.get("location", "")
    return d.serve(Nginx, workers=w.p["processes"], http=http + o.pop("http", ""), **o)


def tomcat(d, w, workers, o):
    return d.serve(Tomcat, threads=workers, timeout=w.timeout, **o)


def gunicorn(threads):
    def make(d, w, workers, o):
        return d.serve(Gunicorn, workers=max(1, workers // threads), threads=threads, timeout=w.timeout, **o)
    return make


def uwsgi(d, w, workers, o):
    return d.serve(Uwsgi, workers=workers, timeout=w.timeout, **o)


def php(d, w, workers, o):
    return d.serve(PhpFpm, children=workers, timeout=w.timeout, manager=w.manager, port_of_pool=w.port_of_pool, **o)


def squid(d, w, workers, o):
    return d.serve(Squid, **o)


def haproxy(d, w, workers, o):
    return d.serve(Haproxy, timeout=w.timeout, **o)


def varnish(d, w, workers, o):
    return d.serve(Varnish, threads=(min(10, workers), max(workers, 10)) if w.fault.key == "workers" else (10, 500), **o)


def komainu(d, w, workers, o):
    return d.serve(Komainu, **o)


ALL, SECURE, CLEAR = ("clear", "tls", "h2"), ("clear", "tls"), ("clear",)

KINDS = {
    "prefork": Kind("Apache prefork", ["apache2"], apache("prefork"), SECURE, application=True, children=True, reloads=True),
    "worker": Kind("Apache worker", ["apache2"], apache("worker"), ALL, application=True, children=True, reloads=True),
    "event": Kind("Apache event", ["apache2"], apache("event"), ALL, application=True, children=True, reloads=True),
    "nginx": Kind("nginx", ["nginx"], nginx, ALL, children=True, reloads=True),
    "nginx-proxy": Kind("nginx before an origin", ["nginx"], nginx, ALL, children=True, reloads=True, proxy=True),
    "tomcat": Kind("Tomcat", ["tomcat"], tomcat, ALL, application=True),
    "gunicorn": Kind("gunicorn sync", ["gunicorn"], gunicorn(1), SECURE, application=True, children=True, reloads=True),
    # Not over TLS: its workers end when a client breaks a handshake off (gunicorn 20.1), which is a fault of its own.
    "gthread": Kind("gunicorn gthread", ["gunicorn"], gunicorn(4), CLEAR, application=True, children=True, reloads=True),
    "uwsgi": Kind("uWSGI", ["uwsgi"], uwsgi, SECURE, application=True, children=True),
    "php": Kind("php-fpm behind nginx", ["nginx", "php-fpm"], php, ALL, application=True, children=True, reloads=True),
    "squid": Kind("Squid", ["squid"], squid, SECURE, proxy=True),
    "haproxy": Kind("HAProxy", ["haproxy"], haproxy, ALL, proxy=True),
    "varnish": Kind("Varnish", ["varnishd", "cc"], varnish, CLEAR, children=True, proxy=True),
    "komainu": Kind("Komainu", [], komainu, ALL, proxy=True)}

# The agent of the test may not know these programs as web servers; their ports are named to it.
UNKNOWN_PROGRAMS = ("gunicorn", "gthread", "uwsgi")

making = threading.Lock()


def certificate(stage, key="ec"):
    """(certificate, key) signed by itself; made once for all servers of a run. key: ec (P-256) or a length of RSA."""
    base = os.path.join(stage.work, "certificate-%s" % key)
    with making:
        if not os.path.exists(base + ".pem"):
            algorithm = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"] if key == "ec" else ["-newkey", "rsa:%s" % key]
            run("openssl", "req", "-x509", *algorithm, "-nodes", "-days", "2", "-subj", "/CN=drill", "-addext", "subjectAltName=DNS:drill",
                "-keyout", base + ".key", "-out", base + ".new")
            os.chmod(base + ".key", 0o644)  # gunicorn reads it as its user
            os.rename(base + ".new", base + ".pem")
    return base + ".pem", base + ".key"


def origin_of(d, w, label="origin", **more):
    """The origin behind a proxy, or the backend that an application requests; on this host or on another one."""
    place = {"host": d.back.far, "ns": "back"} if w.backend_host else {}
    return d.serve(Origin, label, watched=False, **{"think": w.think, "size": w.size, **place, **more})


def server_of(d, w, **o):
    """The watched server of a draw."""
    kind = w.kind
    if kind.proxy and "origin" not in o:
        o["origin"] = origin_of(d, w)
    if w.protocol != "clear":
        o["tls"], o["h2"] = certificate(d.stage, o.pop("key", "ec")), w.protocol == "h2"
    o.pop("key", None)
    server = kind.make(d, w, w.p["crew"], {"port": d.drill.port, **o})
    if not kind.application and not kind.proxy:
        server.pages(8, w.size)
    return server


def path_of(w, **wish):
    """Options of an ordinary visit; wish: parameters of the application."""
    if w.kind.application:
        wish = {"sleep": 5, "bytes": w.size, **wish}
        return {"path": "/app?" + "&".join("%s=%d" % item for item in wish.items())}
    return {"path": "/"} if w.kind.proxy else {"pages": 8}
