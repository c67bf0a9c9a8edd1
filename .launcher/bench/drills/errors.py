"""Drills of errors: clients get no response, errors or the wrong pages, and no resource of the server is the cause. Also similar cases without a fault.

A drill of this file is right when its cause is named, or when the state is `failing`: the service fails and the cause is not known.
"""

import os
import signal

from catalogue import drill, many
from servers import Apache, Haproxy, NameServer, Nginx, Origin, Tomcat
from visitors import Certificates, health_checks, tls_visitors

FAILING = "failing"


def options(kind, **apache):
    """Settings of a server without a shortage: Apache needs an MPM or a number of workers, the others need nothing."""
    return apache if kind is Apache else {}


# ---- faults ---------------------------------------------------------------------------------------------------------


@drill("nginx-slots-twice", "nginx", "worker_connections 160 before an origin that takes 1 s: each proxied request takes two; 90 more visitors a second",
    "saturated/sockets", ["nginx"], also=(FAILING,))
def slots_twice(d):
    origin = d.serve(Origin, "origin", watched=False, think=1_000)
    d.serve(Nginx, connections=160, location=Nginx.before(origin))
    d.visitors(10)
    d.crowd(90)


@drill("nginx-half-dead", "nginx", "reuseport; the master and two of four workers are killed: half of the connections are never accepted", FAILING, ["nginx"],
    also=("saturated/processes",))
def half_dead(d):
    server = d.serve(Nginx, workers=4, listen="reuseport")
    server.pages(4, 2_000)
    d.visitors(40, pages=4)

    def begin():
        workers = server.workers_running()
        os.kill(server.process.pid, signal.SIGKILL)
        for pid in workers[:2]:
            os.kill(pid, signal.SIGKILL)

    def repair():
        server.kill()
        server.start()

    d.onset(begin)
    d.cure(repair)


@many([("nginx", "nginx", Nginx, "nginx"), ("event", "Apache event", Apache, "apache2")])
def wrong_root(short, title, kind, package):
    @drill(short + "-wrong-root", title, "a reload with another document root: every page is 404", FAILING, [package])
    def build(d):
        server = d.serve(kind, **options(kind, mpm="event", workers=100))
        server.pages(8, 4_000)
        os.makedirs(server.dir + "/elsewhere")  # Apache does not start without its document root
        d.visitors(30, pages=8)
        d.onset(lambda: server.reload(root=server.dir + "/elsewhere"))
        d.cure(lambda: server.reload(root=server.dir + "/www"))


@drill("nginx-wrong-certificate", "nginx", "a reload with a certificate of another name and authority: visitors break the handshake off", FAILING, ["nginx", "openssl"])
def wrong_certificate(d):
    certificates = Certificates(d.stage.work + "/nginx-wrong-certificate")
    server = d.serve(Nginx, tls=certificates.of("drill"))
    server.pages(8, 4_000)
    d.others(lambda n: tls_visitors(d, n, 20, certificates.authority, "drill"))
    d.onset(lambda: server.reload(tls=certificates.of("elsewhere", another=True)))
    d.cure(lambda: server.reload(tls=certificates.of("drill")))


@drill("nginx-name-gone", "nginx", "the DNS name of its upstream is gone: 502 to all", "upstream-fault", ["nginx"], also=(FAILING,))
def name_gone(d):
    origin = d.serve(Origin, "origin", watched=False, think=20)
    names = d.serve(NameServer, "names", watched=False)
    d.serve(Nginx, http="resolver 127.0.0.1:%d valid=2s ipv6=off; resolver_timeout 2s;" % names.port,
        location='set $upstream "origin.drill"; proxy_pass http://$upstream:%d; proxy_http_version 1.1; proxy_set_header Connection "";' % origin.port)
    d.visitors(20)
    d.onset(lambda: names.process.send_signal(signal.SIGUSR1))
    d.cure(lambda: names.process.send_signal(signal.SIGUSR2))


@many([("prefork", "Apache prefork", Apache, "apache2"), ("tomcat", "Tomcat", Tomcat, "tomcat")])
def errors(short, title, kind, package):
    @drill(short + "-errors", title, "its application answers 500 to all", FAILING, [package])
    def build(d):
        server = d.serve(kind, **options(kind, workers=60))
        d.visitors(30, "/app?sleep=5")
        d.onset(lambda: server.break_application())
        d.cure(lambda: server.break_application(False))


@drill("nginx-half-closed", "nginx", "112 visitors a second; more than half of their connections are closed without an answer (split_clients, return 444)", FAILING, ["nginx"])
def half_closed(d):
    server = d.serve(Nginx)
    server.pages(8, 4_000)
    d.visitors(112, pages=8)
    d.onset(lambda: server.reload(http='split_clients "$remote_addr$remote_port" $none { 55% 1; * 0; }', location="if ($none) { return 444; }"))
    d.cure(lambda: server.reload(http="", location=""))


@drill("haproxy-half-reset", "HAProxy", "112 visitors a second; more than half of their connections are reset without an answer", FAILING, ["haproxy"])
def half_reset(d):
    server = d.serve(Haproxy, origin=d.serve(Origin, "origin", watched=False, think=5), rules="")
    d.visitors(112)
    d.onset(lambda: server.reload(rules="option nolinger\n  http-request reject if { rand(100) lt 55 }"))
    d.cure(lambda: server.reload(rules=""))


# ---- what looks like errors and is none -----------------------------------------------------------------------------


@many([("nginx", "nginx", Nginx, "nginx"), ("event", "Apache event", Apache, "apache2")])
def crawler(short, title, kind, package):
    @drill(short + "-crawler", title, "a crawler asks for 40 pages a second that never were there: 404", "normal", [package], hold=40)
    def build(d):
        server = d.serve(kind, **options(kind, mpm="event", workers=100))
        server.pages(8, 4_000)
        d.visitors(20, pages=8)
        d.crowd(40, pages=20_000)


@drill("event-impatient", "Apache event", "30 visitors a second who leave after 1 s, before an answer that takes 1.5 s", "normal", ["apache2"], hold=40)
def impatient(d):
    d.serve(Apache, mpm="event", workers=200)
    d.visitors(20, "/app?sleep=5")
    d.crowd(30, "/app?sleep=1500", patience=1)


@drill("nginx-maintenance", "nginx", "a reload with a maintenance page: 503 with Retry-After to all", "normal", ["nginx"], hold=40)
def maintenance(d):
    server = d.serve(Nginx)
    server.pages(8, 4_000)
    d.visitors(30, pages=8)
    d.onset(lambda: server.reload(location="add_header Retry-After 600 always; return 503;"))
    d.cure(lambda: server.reload(location=""))


@many([("nginx", "nginx", Nginx, "nginx"), ("prefork", "Apache prefork", Apache, "apache2")])
def checks(short, title, kind, package):
    @drill(short + "-health-checks", title, "30 health checks a second connect and reset, or close, without a request", "normal", [package], hold=40)
    def build(d):
        server = d.serve(kind, **options(kind, workers=60))
        server.pages(8, 4_000)
        d.visitors(20, pages=8)
        health_checks(d, 30)
