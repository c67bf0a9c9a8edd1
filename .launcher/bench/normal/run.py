"""bench normal-traffic: real servers with small normal loads, recorded by the central service."""

import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "drills")]

import servers
import services
import stage as stages
from stage import Missing, Stage
from visitors import Certificates
from watch import Watch

BACKUP_EVERY, ROTATE_EVERY, RELOAD_EVERY = 600, 300, 420


def options():
    parser = argparse.ArgumentParser(prog="./komainu bench normal-traffic", allow_abbrev=False)
    parser.add_argument("--services", type=int, default=60)
    parser.add_argument("--minutes", type=float, default=100)
    parser.add_argument("--out", default="")
    parser.add_argument("--list", action="store_true")
    for hidden in ("missing", "central", "agent", "proxy", "jdk"):
        parser.add_argument("--" + hidden, default="", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if not 1 <= args.services <= 60:
        parser.error("--services: %d (expected: 1 to 60)" % args.services)
    if not 0 < args.minutes <= 1440:
        parser.error("--minutes: %g (expected: above 0 to 1440)" % args.minutes)
    return args


def say(text):
    print(time.strftime("%H:%M:%S ") + text, flush=True)


def start(chosen, stage, certificates):
    """Starts each server; one that does not start is left out, and said."""
    running = []
    for service in chosen:
        try:
            service.server = service.build(stage, service.name, service.rhythm, certificates)
            service.server.start()
            service.server.await_listening(60)
            running.append(service)
        except (Missing, OSError, subprocess.CalledProcessError) as e:
            say("%s: left out: %s" % (service.name, e))
    return running


def visitors(running, stage, link, certificates):
    clients = ["%s.%d" % (link.net, 10 + n) for n in range(20)]
    told = [{"name": s.name, "host": link.server, "port": s.server.port, "clients": clients, "rhythm": s.rhythm, "rate": services.RHYTHMS[s.rhythm],
        "path": s.path, "large": s.large, "poll": s.poll, "tls": s.tls, "h2": s.h2, "authority": certificates.authority} for s in running]
    path = stage.work + "/services.json"
    with open(path, "w", encoding="utf-8") as out:
        json.dump(told, out)
    return stage.start("visitors", [sys.executable, "-B", HERE + "/crowd.py", path], ns="client", files=8192)


def backup(running, stage):
    """Reads the pages of some servers as a nightly backup does."""
    for service in running:
        if service.backup:
            stage.start("backup", ["sh", "-c", "tar cf - %s | gzip -1 >/dev/null" % shlex.quote(service.server.dir + "/www")])


def rotate(running):
    """Moves logs away and has the server open new ones."""
    for service in running:
        if service.logs:
            log = "%s/%s" % (service.server.dir, service.logs)
            if os.path.exists(log):
                os.replace(log, log + ".1")
            service.server.process.send_signal(signal.SIGUSR1)


def reload(service):
    say("reload of " + service.name)
    service.server.reload()


def live(watch, running):
    """What was named live: the changes of state of each service."""
    return {service.name: {"port": service.server.port, "states": [[round(e["at"], 2), e["state"], e["cause"]] for e in watch.history(service.server.port)]}
        for service in running}


def main():
    args = options()
    chosen = services.all_services()[:args.services]
    if args.list:
        for service in chosen:
            print("  %-22s %s" % (service.name, "TLS, HTTP/2" if service.h2 else "TLS" if service.tls else ""))
        return 0
    missing = args.missing.split(",")
    chosen = [s for s in chosen if not any(need in missing for need in s.needs)]
    # Priorities stay as they are: this traffic need not be prompt, and may run beside other work.
    stages.before_others = lambda pid: None
    servers.Tomcat.jdk = args.jdk
    recording = args.out + "/recording"
    if os.path.isdir(recording) and os.listdir(recording):
        print("komainu: normal-traffic: %s is not empty (expected: another --out)" % recording, file=sys.stderr)
        return 2
    work = tempfile.mkdtemp(prefix="komainu-normal.")
    os.chmod(work, 0o755)
    stage = Stage(work, "")
    central = shlex.split(args.central) + ["--komainu.ingest.recording=" + recording, "--komainu.ingest.recording-size=8GB"]
    watch = Watch(stage, {"central": central, "agent": shlex.split(args.agent)})
    servers.Komainu.java, servers.Komainu.token = shlex.split(args.proxy), work + "/tokens/ingest.token"
    servers.Komainu.central = "http://127.0.0.1:%d" % watch.port
    running, code = [], 0
    try:
        stage.namespace("server")
        stage.namespace("client")
        stage.enter("server")
        link = stage.link()
        certificates = Certificates(work + "/certificates")
        say("Starting the central service and the agent …")
        watch.start([link.interface], {})
        say("Starting %d servers …" % len(chosen))
        running = start(chosen, stage, certificates)
        load = visitors(running, stage, link, certificates)
        say("%d services for %g minutes" % (len(running), args.minutes))
        begun, reloading = time.time(), [s for s in running if s.reloads]
        due = {"backup": begun + 200, "rotate": begun + 100}
        reloads = [(begun + 120 + RELOAD_EVERY * n / max(1, len(reloading)), s) for n, s in enumerate(reloading)]
        while time.time() < begun + args.minutes * 60:
            time.sleep(1)
            now = time.time()
            if load.poll() is not None:
                raise Missing("the visitors ended: " + stage.words("visitors"))
            if now >= due["backup"]:
                due["backup"] += BACKUP_EVERY
                backup(running, stage)
            if now >= due["rotate"]:
                due["rotate"] += ROTATE_EVERY
                rotate(running)
            for n, (at, service) in enumerate(reloads):
                if now >= at:
                    reloads[n] = (at + RELOAD_EVERY, service)
                    reload(service)
        stage.end(load)
    except Missing as e:
        print("komainu: normal-traffic: %s" % e, file=sys.stderr)
        code = 1
    except (KeyboardInterrupt, SystemExit):
        print("komainu: normal-traffic: stopped before the end; what was recorded is kept", file=sys.stderr)
    finally:
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, signal.SIG_IGN)
        watch.stop()
        told = live(watch, running)
        stage.clear()
        with open(args.out + "/live.json", "w", encoding="utf-8") as out:
            json.dump(told, out, indent=1)
        for name in ("central", "agent", "visitors"):
            if os.path.exists("%s/%s.log" % (work, name)):
                shutil.copyfile("%s/%s.log" % (work, name), "%s/%s.log" % (args.out, name))
        shutil.rmtree(work, ignore_errors=True)
    alarms = [(name, state) for name, service in told.items() for _, state, _ in service["states"] if state not in ("normal", "unknown")]
    say("False alarms live: %d" % len(alarms))
    for name, state in alarms:
        say("  %s %s" % (name, state))
    return code


def leave(number, frame):
    raise SystemExit(128 + number)


if __name__ == "__main__":
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, leave)
    sys.exit(main())
