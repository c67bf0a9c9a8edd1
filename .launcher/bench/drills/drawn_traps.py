"""The traps of the drawn drills: they look like faults and are none, so the server must stay normal."""

import os
import signal
import time

from drawn_faults import fault
from drawn_kinds import origin_of, path_of, server_of
from visitors import health_checks


def trap(key, text, kinds, draw=lambda r, w: {}, **o):
    return fault(key, "normal", text, kinds, "visitors are served as before", draw, hold=35, **o)


def crowd(r, w):
    return {"crowd": r.choice([20, 30, 40])}


@trap("flash-crowd", "{crowd} more visitors a second, within its capacity", "nginx event haproxy tomcat gthread komainu", lambda r, w: {"crowd": r.choice([40, 50, 60])})
def flash_crowd(d, w):
    server_of(d, w)
    d.visitors(8, **path_of(w))
    d.crowd(w.p["crowd"], **path_of(w))


@trap("long-polls", "{crowd} requests a second that take {seconds} s, within the capacity of {crew} workers", "prefork event tomcat gthread",
    lambda r, w: {"crowd": r.choice([4, 6, 8]), "seconds": r.choice([3, 5]), "crew": 160 if w.key == "gthread" else 100})
def long_polls(d, w):
    # A process of gthread accepts more than its threads can answer, while others are idle: it needs much more threads than the mean.
    server_of(d, w)
    d.visitors(w.rate, **path_of(w))
    d.crowd(w.p["crowd"], patience=20, **path_of(w, sleep=w.p["seconds"] * 1000))


@trap("slow-clients", "{crowd} more visitors a second on lines of {kbit} kbit/s", "nginx event haproxy tomcat", lambda r, w: {"crowd": r.choice([6, 10]), "kbit": r.choice([256, 512])},
    link="wan", wan="--ip 10.98.{{n}}.20+10=5@{kbit}")
def slow_clients(d, w):
    w.size = 40_000
    server_of(d, w)
    d.visitors(w.rate, clients=d.link.some(10, 10), **path_of(w))
    d.crowd(w.p["crowd"], patience=30, clients=d.link.some(20, 10), **path_of(w))


@trap("lossy-clients", "{crowd} more visitors a second from a network that loses {percent} % of all packets", "nginx event haproxy tomcat komainu",
    lambda r, w: {"crowd": r.choice([10, 20]), "percent": r.choice([2, 4, 6])}, link="wan", wan="--both delay=10,loss=0.0{percent}")
def lossy_clients(d, w):
    server_of(d, w)
    d.visitors(w.rate, via=d.plain, **path_of(w))
    d.crowd(w.p["crowd"], patience=20, **path_of(w))


@trap("slow-readers-carried", "{crowd:g} readers a second take {seconds} s each; the server is not held by them", "nginx event haproxy", lambda r, w: {"crowd": r.choice([2, 4]), "seconds": r.choice([6, 10])})
def readers_carried(d, w):
    server = server_of(d, w, **({"origin": origin_of(d, w, size=200_000)} if w.kind.proxy else {}))
    server.pages(8, 200_000)
    d.visitors(w.rate, **({"path": "/"} if w.kind.proxy else {"pages": 8}))
    d.slow_crowd("readers", w.p["crowd"], "/" if w.kind.proxy else "/page/1.html", w.p["seconds"], 200_000)


@trap("slow-senders-carried", "{crowd:g} senders a second take {seconds} s each; nginx reads bodies before the application sees them", "nginx-proxy php",
    lambda r, w: {"crowd": r.choice([2, 4]), "seconds": r.choice([6, 10])})
def senders_carried(d, w):
    server_of(d, w)
    d.visitors(w.rate, **path_of(w))
    d.slow_crowd("senders", w.p["crowd"], "/app?sleep=5" if w.kind.application else "/", w.p["seconds"], 8_000)


@trap("crawler", "a crawler requests {crowd} pages a second that never existed: 404", "nginx event prefork", crowd)
def crawler(d, w):
    server_of(d, w).pages(8, w.size)
    d.visitors(w.rate, pages=8)
    d.crowd(w.p["crowd"], pages=20_000)


@trap("maintenance", "a reload with a maintenance page: 503 with Retry-After to all", "nginx nginx-proxy")
def maintenance(d, w):
    server = server_of(d, w)
    d.visitors(w.rate, **path_of(w))
    before = server.location
    d.onset(lambda: server.reload(location="add_header Retry-After 600 always; return 503;"))
    d.cure(lambda: server.reload(location=before))


@trap("reload", "a graceful reload every {every} s", "nginx nginx-proxy prefork event worker haproxy squid gunicorn php", lambda r, w: {"every": r.choice([6, 12])})
def reloads(d, w):
    server = server_of(d, w, **({"rules": ""} if w.key == "haproxy" else {}))
    d.visitors(w.rate, **path_of(w))
    d.repeatedly(w.p["every"], server.reload)


@trap("rotation", "its access log is renamed, opened again and compressed every {every} s", "nginx prefork event", lambda r, w: {"every": r.choice([8, 16])})
def rotation(d, w):
    server = server_of(d, w)
    d.visitors(w.rate, **path_of(w))
    log = server.dir + ("/access.log" if w.key == "nginx" else "/logs/access.log")

    def rotate():
        os.rename(log, log + ".1")
        server.process.send_signal(signal.SIGUSR1)
        time.sleep(1)
        d.stage.start(d.drill.name + "-gzip", ["nice", "-n", "19", "gzip", "-9", "-c", log + ".1"], silent=True)

    d.repeatedly(w.p["every"], rotate)


@trap("health-checks", "{crowd} health checks a second connect and reset, or close, without a request", "nginx prefork haproxy tomcat gthread", crowd)
def checks(d, w):
    server_of(d, w)
    d.visitors(w.rate, **path_of(w))
    health_checks(d, w.p["crowd"])


@trap("aborting", "{crowd} visitors a second leave after 1 s, before an answer that takes 1.5 s", "event tomcat prefork", lambda r, w: {**crowd(r, w), "crew": 200})
def aborting(d, w):
    server_of(d, w)
    d.visitors(w.rate, **path_of(w))
    d.crowd(w.p["crowd"], patience=1, **path_of(w, sleep=1_500))


@trap("downloads", "{crowd} downloads a second of {size} bytes", "nginx event", lambda r, w: {"crowd": r.choice([1, 2, 3]), "size": r.choice([2_000_000, 5_000_000])})
def downloads(d, w):
    server = server_of(d, w)
    server.pages(8, w.size)
    with open(server.dir + "/www/page/big.html", "wb") as big:
        big.write(os.urandom(4096) * (w.p["size"] // 4096))
    d.visitors(w.rate, pages=8)
    d.crowd(w.p["crowd"], path="/page/big.html", patience=30)
