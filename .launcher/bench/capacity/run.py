"""bench capacity: the knee, forecast from loads up to 60 % of it, then measured by the same definition."""

import argparse
import base64
import json
import os
import resource
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
FIGURES = os.path.join(HERE, "..", "figures", "figures.py")
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "drills"))

from servers import Apache, Nginx
from stage import Missing, Stage, run
from watch import Watch

RATIO = 3  # komainu.capacity.response-limit
CPU_MARK = 0.9
SETTLE = 3  # seconds of a load that do not count
BELOW = (0.08, 0.16, 0.24, 0.32, 0.40, 0.48)  # of what the CPU could do: 60 % of a knee near 0.8
SHARES = [s / 100 for s in range(48, 108, 4)]


class Compressing(Nginx):
    """Compresses a page for each visitor, regardless of the accepted encodings."""

    def command(self):
        back = self.stage.port()
        # Compressible, but not quickly.
        page = base64.b64encode(os.urandom(96 * 1024)).decode()
        self.write("www/page.html", "\n".join(page[i:i + 76] for i in range(0, len(page), 76)))
        self.http = ("gzip_comp_level 9; gzip_http_version 1.0; gzip_proxied any; gzip_buffers 64 4k; proxy_buffers 64 4k; "
            "server { listen 127.0.0.1:%d; root %s/www; gzip on; }" % (back, self.dir))
        self.location = "proxy_pass http://127.0.0.1:%d; proxy_set_header Accept-Encoding gzip;" % back
        return super().command()


class Case:
    def __init__(self, name, server, path):
        self.name, self.server, self.path = name, server, path


def options():
    parser = argparse.ArgumentParser(prog="./komainu bench capacity", allow_abbrev=False)
    parser.add_argument("--minutes", type=float, default=5.5, metavar="N")
    parser.add_argument("--raises", type=int, default=5, metavar="N")
    parser.add_argument("--only", choices=("nginx", "apache"))
    parser.add_argument("--out", required=True, metavar="DIR")
    for hidden in ("central", "agent", "load"):
        parser.add_argument("--" + hidden, required=True, help=argparse.SUPPRESS)
    args = parser.parse_args()
    # With less than five minutes of windows the service makes no forecast.
    if not 5 <= args.minutes <= 60:
        parser.error("--minutes: %g (expected: 5 to 60)" % args.minutes)
    if not 1 <= args.raises <= 25:
        parser.error("--raises: %d (expected: 1 to 25)" % args.raises)
    return args


class Bench:
    def __init__(self, args, stage, watch, link):
        self.args, self.stage, self.watch, self.link = args, stage, watch, link
        self.load = ["taskset", "-c", "0"] + shlex.split(args.load)

    def phases(self, case, phases):
        """Starts visitors and waits for their end; returns the time of their start."""
        text = ",".join("%gx%g" % phase for phase in phases)
        command = self.load + ["--target", "%s:%d" % (self.link.server, case.server.port), "--from", self.link.clients, "--path", case.path,
            "--phases", text]
        began = time.time()
        process = self.stage.start("load-" + case.name, command, ns="client")
        if process.wait(sum(p[1] for p in phases) + 120):
            raise Missing("load: exit code %d (%s)" % (process.returncode, self.stage.words("load-" + case.name)))
        self.stage.end(process)
        return began

    def alone(self, case):
        """CPU seconds of one request, by sequential requests for three seconds."""
        url = "http://%s:%d%s" % (self.link.server, case.server.port, case.path)
        urllib.request.urlopen(url, timeout=10).read()
        count, start = 0, time.monotonic()
        while time.monotonic() - start < 3:
            urllib.request.urlopen(url, timeout=10).read()
            count += 1
        return (time.monotonic() - start) / count

    def seen(self, service, began, seconds):
        """X, mean T_r (Little's law, from packets) and the server's CPU of each second of a stretch."""
        query = urllib.parse.urlencode({"from": iso(began), "to": iso(began + seconds), "stepSeconds": 1,
            "index": ["processedPerSecond", "processingMean", "serverCpuCores"]}, doseq=True)
        series = self.watch.ask("/api/v1/services/%s/series?%s" % (urllib.parse.quote(service, safe=""), query))
        return {at: tuple(series["columns"].get(name, [None] * len(series["times"]))[i] for name in ("processedPerSecond", "processingMean", "serverCpuCores"))
            for i, at in enumerate(series["times"])}

    def levels(self, seen, began, phases):
        """The result of each load: (X, T_r in seconds, cores)."""
        found, at = [], began + 1
        for rate, seconds in phases:
            stretch = [seen[t] for t in range(int(at) + SETTLE, int(at + seconds)) if t in seen and seen[t][0]]
            if stretch:
                x = statistics.mean(s[0] for s in stretch)
                n = statistics.mean(s[1] or 0 for s in stretch)
                cores = [s[2] for s in stretch if s[2] is not None]
                found.append((x, n / x, statistics.mean(cores) if cores else 0))
            at += seconds
        return found

    def run(self, case):
        say("%s: one after the other …" % case.name)
        alone = self.alone(case)
        full = 1 / alone
        each = self.args.minutes * 60 / len(BELOW)
        below = [(round(full * share, 1), each) for share in BELOW]
        say("%s: %.2f ms each; loads up to %.0f/s for %.0f s each …" % (case.name, alone * 1e3, below[-1][0], each))
        began = self.phases(case, below)
        time.sleep(20)  # the last windows and host samples arrive, and become ten-second points
        service = next(s["id"] for s in self.watch.ask("/api/v1/services?limit=1000")["items"] if s["id"].endswith(":%d" % case.server.port))
        told = self.watch.ask("/api/v1/services/%s/capacity" % urllib.parse.quote(service, safe=""))
        light = self.levels(self.seen(service, began, sum(p[1] for p in below) + 2), began, below)
        rest = light[0][1]
        knee = told["summary"]["knee"]
        say("%s: forecast %s" % (case.name, "nothing: %s" % told["summary"]["missing"] if knee is None else interval(knee) + " by " + knee["by"]))
        raises, measured = [], []
        for n in range(self.args.raises):
            phases = [(round(full * share, 1), 10) for share in SHARES]
            began = self.phases(case, phases)
            time.sleep(4)
            levels = self.levels(self.seen(service, began, sum(p[1] for p in phases) + 2), began, phases)
            raises.append(levels)
            measured.append(crossing(levels, rest * RATIO))
            say("%s: measured %s/s" % (case.name, "%.0f" % measured[-1] if measured[-1] else "no knee"))
        found = [m for m in measured if m]
        return {"server": case.name, "alone": alone, "below": light, "told": told, "raises": raises, "measured": measured,
            "median": statistics.median(found) if len(found) * 2 > len(measured) else None, "foretold": knee}


def interval(knee):
    return "%.0f/s (%.0f to %s)" % (knee["rate"], knee["low"], "%.0f" % knee["high"] if knee["high"] else "…")


def crossing(levels, limit):
    """The rate at which mean T_r reaches its limit, or the CPU its mark, interpolated between two loads."""
    before = None
    for x, seconds, cores in levels:
        over = max(seconds / limit, cores / CPU_MARK)
        if over >= 1:
            if before is None:
                return x
            return before[0] + (x - before[0]) * (1 - before[1]) / (over - before[1])
        before = (x, over)
    return None


def iso(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def say(text):
    print(text, flush=True)


def write(out, results, load_before):
    with open(out + "/results.json", "w") as file:
        json.dump(results, file, indent=1)
    lines = ["# The knee, forecast and measured", "", "`sudo ./komainu bench capacity`, %s; load average of the machine before: %s." % (
        time.strftime("%Y-%m-%d", time.gmtime()), load_before), "",
        "| server | one request alone | heaviest observed load | forecast (95 %) | first limit | measured, median (lowest to highest) | error |", "|---|--:|--:|--:|---|--:|--:|"]
    for r in results:
        knee, found = r["foretold"], [m for m in r["measured"] if m]
        foretold = "nothing" if knee is None else interval(knee)
        measured = "none" if r["median"] is None else "%.0f/s (%.0f to %.0f)" % (r["median"], min(found), max(found))
        off = "" if knee is None or r["median"] is None else "%+.1f %%" % (100 * (knee["rate"] / r["median"] - 1))
        lines.append("| %s | %.2f ms | %.0f/s | %s | %s | %s | %s |" % (r["server"], r["alone"] * 1e3, r["below"][-1][0], foretold,
            knee["by"] if knee else "", measured, off))
    with open(out + "/results.md", "w") as file:
        file.write("\n".join(lines) + "\n")
    for r in results:
        draw(out, r)


def draw(out, r):
    """T_r by rate: observed below the knee, the forecast curve, measured later."""
    def table(name, rows):
        with open("%s/%s-%s.dat" % (out, r["server"], name), "w") as file:
            file.writelines(" ".join("%g" % v for v in row) + "\n" for row in rows)
    table("seen", [(x, t * 1e3) for x, t, _ in r["below"]])
    table("curve", [(d["rate"], d["responseMillis"]) for d in r["told"]["drawn"]])
    table("later", [(x, t * 1e3) for levels in r["raises"] for x, t, _ in levels])
    rest = r["below"][0][1] * 1e3
    try:
        subprocess.run([sys.executable, "-B", FIGURES, "keep", "capacity", out, out, "in=" + out, "server=" + r["server"], "top=%g" % (rest * 6),
            "limit=%g" % (rest * RATIO), "out=%s/figure-%s.svg" % (out, r["server"])], check=True)
    except (OSError, subprocess.CalledProcessError) as e:
        say("figure of %s not drawn: %s" % (r["server"], e))
    for name in ("seen", "curve", "later"):
        os.remove("%s/%s-%s.dat" % (out, r["server"], name))


def main():
    args = options()
    if os.cpu_count() < 2:
        raise SystemExit("komainu: bench capacity: %d CPU (expected: 2 at least)" % os.cpu_count())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with open("/proc/loadavg") as file:
        load_before = " ".join(file.read().split()[:3])
    work = tempfile.mkdtemp(prefix="komainu-capacity.")
    os.chmod(work, 0o755)
    stage = Stage(work, "")
    stage.next_port = 18700
    try:
        for name in ("server", "client"):
            stage.namespace(name)
        stage.enter("server")
        link = stage.link()
        parts = {name: ["taskset", "-c", "0"] + shlex.split(getattr(args, name)) for name in ("central", "agent")}
        cases = [Case("nginx", Compressing(stage, "nginx"), "/page.html"), Case("apache", Apache(stage, "apache", workers=24), "/app?spin=150")]
        cases = [c for c in cases if args.only in (None, c.name)]
        for case in cases:
            case.server.process = stage.start(case.name, ["taskset", "-c", "1"] + case.server.command(), files=min(65_536, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        for case in cases:
            case.server.await_listening()
        watch = Watch(stage, parts)
        watch.start([link.interface], {})
        bench = Bench(args, stage, watch, link)
        results = [bench.run(case) for case in cases]
        write(args.out, results, load_before)
        say(open(args.out + "/results.md").read())
    except Missing as e:
        raise SystemExit("komainu: bench capacity: %s" % e)
    finally:
        stage.clear()
        run("rm", "-rf", work)


if __name__ == "__main__":
    main()
