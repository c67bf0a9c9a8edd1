"""The services of normal traffic: a kind of server and a rhythm of visitors each. Every fifth line is of one kind, so that the first N are mixed."""

from servers import Apache, Haproxy, Komainu, Nginx, Origin, Squid, Tomcat, Varnish

APACHE_MODULES = "/usr/lib/apache2/modules"

# Visits a second at the busiest time, small: sixty of them share a machine.
RHYTHMS = {
    "constant": 4.0,   # a Poisson process
    "day": 6.0,        # a day in half an hour: night, morning, noon, evening
    "bursts": 1.5,     # and every minute or two some dozens within two seconds
    "slow": 0.4,       # readers of large pages at some kilobytes a second, and usual ones
    "kept": 1.5,       # several requests on a connection, with pauses
    "polls": 0.5,      # requests that the application holds for many seconds, and usual ones
    "rare": 0.05,      # a visit every twenty seconds, with silence between
}


class Service:
    """A server with its visitors. needs: what must be installed."""

    def __init__(self, name, needs, rhythm, build, path="/page/%d.html", large="/page/1.html", poll=None, tls=False, h2=False, reloads=False, logs=None, backup=False):
        self.name, self.needs, self.rhythm, self.build, self.path, self.large, self.poll = name, needs, rhythm, build, path, large, poll
        self.tls, self.h2, self.reloads, self.logs, self.backup = tls, h2, reloads, logs, backup
        self.server = None


def pages(server, rhythm):
    server.pages(8, 262_144 if rhythm == "slow" else 16_000)
    return server


def nginx_static(stage, name, rhythm, certificates):
    return pages(Nginx(stage, name, location="access_log %s/%s/access.log;" % (stage.work, name)), rhythm)


def nginx_tls(stage, name, rhythm, certificates):
    return pages(Nginx(stage, name, tls=certificates.of(name)), rhythm)


def nginx_h2(stage, name, rhythm, certificates):
    return pages(Nginx(stage, name, tls=certificates.of(name), listen="http2"), rhythm)


def origin(stage, name, rhythm):
    made = Origin(stage, name + "-origin", think=8_000 if rhythm == "polls" else 15)
    made.start()
    return made.await_listening()


def nginx_proxy(stage, name, rhythm, certificates):
    return Nginx(stage, name, location=Nginx.before(origin(stage, name, rhythm)) + " proxy_read_timeout 60s;")


def apache(mpm, more=""):
    def build(stage, name, rhythm, certificates):
        keep = "KeepAlive On\nKeepAliveTimeout 5\n" if rhythm == "kept" else ""
        return pages(Apache(stage, name, mpm=mpm, workers=40, spares=(4, 3, 8) if mpm == "prefork" else None, more=keep + more), rhythm)
    return build


def apache_tls(stage, name, rhythm, certificates):
    certificate, key = certificates.of(name)
    more = "LoadModule ssl_module %s/mod_ssl.so\nSSLEngine on\nSSLCertificateFile %s\nSSLCertificateKeyFile %s\nKeepAlive On\n" % (APACHE_MODULES, certificate, key)
    return pages(Apache(stage, name, mpm="event", workers=40, more=more), rhythm)


def tomcat(stage, name, rhythm, certificates):
    return Tomcat(stage, name, threads=60)


def squid(stage, name, rhythm, certificates):
    return Squid(stage, name, origin(stage, name, rhythm))


def haproxy(stage, name, rhythm, certificates):
    return Haproxy(stage, name, origin(stage, name, rhythm), rules="http-request set-header X-Normal 1")


def varnish(stage, name, rhythm, certificates):
    return Varnish(stage, name, origin(stage, name, rhythm), cached=rhythm == "day")


def komainu(stage, name, rhythm, certificates):
    return Komainu(stage, name, origin(stage, name, rhythm))


APP, POLL = "/app?sleep=15", "/app?sleep=12000"

KINDS = [
    ("nginx", ["nginx"], nginx_static, {"logs": "access.log", "reloads": True, "backup": True}),
    ("nginx-tls", ["nginx"], nginx_tls, {"tls": True, "reloads": True}),
    ("nginx-h2", ["nginx"], nginx_h2, {"tls": True, "h2": True}),
    ("nginx-proxy", ["nginx"], nginx_proxy, {"poll": "/", "path": "/"}),
    ("prefork", ["apache2"], apache("prefork"), {"path": APP, "poll": POLL, "reloads": True}),
    ("worker", ["apache2"], apache("worker"), {"path": APP, "poll": POLL}),
    ("event", ["apache2"], apache("event"), {"path": APP, "poll": POLL, "backup": True}),
    ("event-tls", ["apache2"], apache_tls, {"tls": True, "reloads": True}),
    ("tomcat", ["tomcat"], tomcat, {"path": APP, "poll": POLL}),
    ("squid", ["squid"], squid, {"path": "/", "poll": "/", "reloads": True}),
    ("haproxy", ["haproxy"], haproxy, {"path": "/", "poll": "/", "reloads": True}),
    ("varnish", ["varnishd", "cc"], varnish, {"path": "/%d", "poll": "/"}),
    ("komainu", [], komainu, {"path": "/", "poll": "/"}),
]

# Which rhythms each kind has: those that mean something for it.
STATIC = ["constant", "day", "slow", "kept", "bursts"]
OTHER = ["constant", "day", "polls", "bursts", "rare"]


def all_services():
    found = []
    for turn in range(5):
        for name, needs, build, more in KINDS:
            rhythm = (OTHER if "poll" in more else STATIC)[turn]
            if (name, rhythm) in (("tomcat", "rare"), ("komainu", "rare"), ("event-tls", "slow"), ("nginx-h2", "slow"), ("nginx-h2", "kept")):
                continue  # memory of one more Java server; readers of their own that the visitors do not have
            found.append(Service("%s-%s" % (name, rhythm), needs, rhythm, build, **more))
    return found
