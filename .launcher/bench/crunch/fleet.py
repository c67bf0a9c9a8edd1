"""Costs of a fleet: starts a central service for each size, plays its agents, and measures the service from outside."""

import argparse
import http.client
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HOST = "127.0.0.1"
PORT = 17_900
START_SECONDS = 300
TICK = os.sysconf("SC_CLK_TCK")
# Services whose points are received, for the age of the judgement.
SAMPLED = 20
# Seconds after the past was reported before the measurement, so that roll-ups and compilers have settled.
SETTLE = 20
STREAM_SECONDS = 10
# Groups of threads by the beginning of their names; the kernel keeps 15 characters of a name.
GROUPS = [
    ("judging", ("assessment",)),
    ("store: writer", ("komainu-store",)),
    ("requests and decoding", ("ForkJoinPool", "virtual-", "http-nio", "decoding", "Tomcat", "tomcat")),
    ("collector", ("VM Thread", "G1 ", "GC Thread", "Parallel")),
    ("compilers", ("C1 Comp", "C2 Comp")),
    ("other threads named komainu", ("komainu",)),
]


def group(name):
    for title, beginnings in GROUPS:
        if name.startswith(beginnings):
            return title
    return name


class Central:
    """A central service with its data directory, and its administrator."""

    def __init__(self, given, services, heap, work):
        self.given, self.work, self.data = given, work, work + "/data"
        self.tokens = work + "/tokens"
        os.makedirs(self.tokens, 0o700, exist_ok=True)
        command = shlex.split(given.central)
        if heap != "default":
            # Of two -Xmx the last one counts; options stand before the class path.
            command.insert(1 + max([0] + [i for i, word in enumerate(command) if word.startswith("-Xmx")]), "-Xmx" + heap)
        agents = services // given.servers + 1
        self.command = command + [
            "--server.port=%d" % PORT,
            "--komainu.data=" + self.data,
            "--komainu.bootstrap-tokens=" + self.tokens,
            "--komainu.fleet.max-services=%d" % max(services, 500),
            "--komainu.fleet.max-sources=%d" % max(agents, 500),
        ]
        self.log = open(work + "/central.log", "a")
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=self.log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            self.check()
            try:
                if ask("GET", "/actuator/health")[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        self.process.kill()
        sys.exit("bench fleet: the service did not start within %d s" % START_SECONDS)

    def check(self):
        if self.process.poll() is not None:
            raise Ended(self.process.returncode, open(self.log.name).read()[-3000:])

    def log_in(self):
        first = open(self.data + "/first-password").read().split()[0]
        password = os.urandom(12).hex() + "-Kg7"
        session = self.session(first)
        expect(ask("PUT", "/api/v1/session/password", {"currentPassword": first, "newPassword": password}, session))
        self.headers = self.session(password)

    def session(self, password):
        status, headers, text = ask("POST", "/api/v1/session", {"name": "admin", "password": password})
        expect((status, headers, text))
        cookies = [value.split(";")[0] for name, value in headers.items() if name.lower() == "set-cookie"]
        return {"Cookie": "; ".join(cookies), "X-CSRF-Token": json.loads(text)["csrfToken"]}

    def create_tokens(self, agents):
        directory = self.work + "/agents"
        os.makedirs(directory, 0o700)
        for number in range(1, agents + 1):
            reporting = {"source": "agent@host-%d" % number, "node": "host-%d" % number, "networks": ["10.%d.%d.0/24" % (number // 250, number % 250)]}
            body = {"name": "agent %d" % number, "scopes": ["ingest"], "expiresInDays": 1, "reporting": reporting}
            _, _, text = expect(ask("POST", "/api/v1/tokens", body, self.headers))
            with open("%s/%d.token" % (directory, number), "w") as file:
                file.write(json.loads(text)["secret"])
        return directory

    def read_headers(self):
        return {"Authorization": "Bearer " + open(self.tokens + "/read.token").read().strip()}

    def threads(self):
        """CPU seconds of each group of threads, and of the whole process."""
        seconds = {}
        directory = "/proc/%d/task" % self.process.pid
        for task in os.listdir(directory):
            try:
                name, fields = stat("%s/%s/stat" % (directory, task))
            except FileNotFoundError:
                continue
            seconds[group(name)] = seconds.get(group(name), 0) + (int(fields[11]) + int(fields[12])) / TICK
        _, fields = stat("/proc/%d/stat" % self.process.pid)
        return seconds, (int(fields[11]) + int(fields[12])) / TICK

    def resident(self):
        lines = dict(line.split(":", 1) for line in open("/proc/%d/status" % self.process.pid) if ":" in line)
        return {name: int(lines[key].split()[0]) / 1024 for name, key in (("now", "VmRSS"), ("peak", "VmHWM"))}

    def jcmd(self, *words):
        return subprocess.run([self.given.jcmd, str(self.process.pid), *words], capture_output=True, text=True, timeout=180).stdout

    def live_objects(self):
        """The classes of live objects after a full collection, and their bytes in all."""
        text = self.jcmd("GC.class_histogram")
        rows = [line.split() for line in text.splitlines()]
        sizes = [int(row[2]) for row in rows if len(row) > 3 and row[0].endswith(":") and row[2].isdigit() and "jdk.internal.vm.Filler" not in row[3]]
        return text, sum(sizes)

    def heap(self):
        """The largest heap, as the JVM tells it, in MB."""
        found = re.search(r"MaxHeapSize=(\d+)", self.jcmd("VM.flags"))
        return int(found.group(1)) >> 20 if found else None

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Ended(Exception):
    """The central service ended by itself."""


def stat(path):
    with open(path) as file:
        before, after = file.read().rsplit(")", 1)
    return before.split("(", 1)[1], after.split()


def ask(method, path, body=None, headers=None, timeout=30):
    connection = http.client.HTTPConnection(HOST, PORT, timeout=timeout)
    try:
        sent = {"Content-Type": "application/json"} if body is not None else {}
        connection.request(method, path, None if body is None else json.dumps(body), {**sent, **(headers or {})})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


def expect(answer):
    if answer[0] >= 300:
        sys.exit("bench fleet: %d %s" % (answer[0], answer[2][:300]))
    return answer


class Stream(threading.Thread):
    """An open event stream, as a tab has one: its bytes, its events, and the age of each judged second when its point arrives."""

    def __init__(self, topics, headers):
        super().__init__(daemon=True)
        self.topics, self.headers, self.ended = topics, headers, threading.Event()
        self.bytes, self.events, self.ages = 0, 0, []

    def run(self):
        connection = http.client.HTTPConnection(HOST, PORT, timeout=20)
        connection.request("GET", "/api/v1/stream?" + "&".join("topics=" + topic for topic in self.topics), headers=self.headers)
        answer = connection.getresponse()
        event = ""
        while not self.ended.is_set():
            line = answer.readline()
            if not line:
                break
            self.bytes += len(line)
            if line.startswith(b"event:"):
                event = line[6:].decode().strip()
            elif line.startswith(b"data:"):
                self.events += 1
                if event == "point":
                    self.ages.append(time.time() - json.loads(line[5:])["time"] - 1)
        connection.close()


class Fleet:
    """The played agents of one central service."""

    def __init__(self, given, central, agents, tokens):
        command = shlex.split(given.fleet) + ["--agents", str(agents), "--servers", str(given.servers), "--past", str(given.past)]
        command += ["--central", "http://%s:%d" % (HOST, PORT), "--tokens", tokens, "--token-file", central.tokens + "/ingest.token"]
        command += ["--directory", central.work + "/spools"]
        self.log = open(central.work + "/fleet.log", "w")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)

    def take(self):
        """The acknowledgements since the last call."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        text, _ = self.process.communicate(timeout=300)
        return json.loads(text.strip().splitlines()[-1])


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else None


def measure(given, services, heap, work):
    agents = -(-services // given.servers)
    central = Central(given, services, heap, work)
    fleet = None
    try:
        central.log_in()
        fleet = Fleet(given, central, agents, central.create_tokens(agents))
        deadline = time.monotonic() + 900
        time.sleep(5)
        # A second of all agents may be on its way.
        while fleet.take()["waiting"] > services * 30 and time.monotonic() < deadline:
            central.check()
            time.sleep(1)
        time.sleep(SETTLE)
        if given.profile:
            recording = os.path.abspath("%s/recording-%d.jfr" % (given.out, services))
            central.jcmd("JFR.start", "name=fleet", "settings=profile", "filename=" + recording)
            time.sleep(3)
        ids = ["host-%d:%d" % (n % agents + 1, 8_000 + n // agents) for n in range(min(SAMPLED, services))]
        points = Stream(["service:" + each for each in ids], central.read_headers())
        points.start()
        time.sleep(3)
        points.ages.clear()
        fleet.take()
        before, whole = central.threads()
        begun = time.monotonic()
        time.sleep(given.seconds)
        after, whole_after = central.threads()
        took = time.monotonic() - begun
        acknowledged = fleet.take()
        ages, points.ended = list(points.ages), threading.Event()
        central.check()
        if given.profile:
            central.jcmd("JFR.stop", "name=fleet")
        tab = Stream(["overview"], central.headers)
        tab.start()
        time.sleep(2)
        first, since = tab.bytes, time.monotonic()
        time.sleep(STREAM_SECONDS)
        stream = (tab.bytes - first) / (time.monotonic() - since)
        tab.ended.set()
        resident = central.resident()
        classes, live = central.live_objects()
        if given.profile:
            with open("%s/classes-%d.txt" % (given.out, services), "w") as file:
                file.write(classes)
        threads = {name: (after[name] - before.get(name, 0)) / took for name in after}
        cpu = (whole_after - whole) / took
        result = {
            "services": services,
            "agents": agents,
            "heap": central.heap(),
            "seconds": round(took, 1),
            "cores": round(cpu, 3),
            "cpuMillis": round(cpu * 1e3 / services, 3),
            "threads": {name: round(value * 1e3 / services, 3) for name, value in sorted(threads.items(), key=lambda each: -each[1]) if value * 1e3 / services >= 0.005},
            "resident": {name: round(value) for name, value in resident.items()},
            "live": round(live / 1e6, 1),
            "acknowledged": acknowledged,
            "age": {"p50": percentile(ages, 0.5), "p99": percentile(ages, 0.99), "points": len(ages)},
            "overviewBytes": round(stream),
            "load": os.getloadavg()[0],
        }
        if given.restart:
            result["restart"] = restart(central, services)
        result["end"] = fleet.end()
        fleet = None
        return result
    except Ended as ended:
        print("the service ended: exit code %s\n%s" % ended.args, file=sys.stderr)
        return {"services": services, "agents": agents, "heap": heap, "ended": ended.args[0]}
    finally:
        if fleet:
            fleet.process.kill()
        central.end()


def judged(headers):
    """Services that are judged on data, and services in all."""
    services = json.loads(expect(ask("GET", "/api/v1/overview", headers=headers))[2])["services"]
    return sum(1 for each in services if each["state"] != "unknown" and each["summary"]["arrivalPerSecond"] is not None), len(services)


def alerts(headers):
    text = json.loads(expect(ask("GET", "/api/v1/alerts?limit=1000", headers=headers))[2])
    items = text["items"] if isinstance(text, dict) else text
    return [(each["rule"], each.get("subject") or each.get("service")) for each in items]


def restart(central, services):
    """Kills the service and starts it again; the agents go on."""
    before = alerts(central.headers)
    killed = time.monotonic()
    central.process.kill()
    central.process.wait()
    central.start()
    up = time.monotonic()
    reading = central.read_headers()
    while time.monotonic() < killed + 120:
        central.check()
        now, known = judged(reading)
        if now >= services:
            break
        time.sleep(0.2)
    all_judged = time.monotonic()
    time.sleep(30)
    after = alerts(central.headers)
    return {
        "up": round(up - killed, 1),
        "judged": round(all_judged - killed, 1),
        "judgedServices": now,
        "alertsBefore": len(before),
        "alertsAfter": len(after),
        "twice": len(after) - len(set(after)) - (len(before) - len(set(before))),
        "missed": len(set(before) - set(after)),
    }


def table(results, marker):
    lines = [marker, ""] if marker else []
    lines += [
        "| services | agents | heap, MB | cores | CPU per service and second, ms | resident, MB | live objects, MB | acknowledged p50, p99, ms | late | judged after the second's end p50, p99, s | overview of a tab, KB/s |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for each in results:
        if "ended" in each:
            lines.append("| %d | %d | %s | the service ended with exit code %s | | | | | | | |" % (each["services"], each["agents"], each["heap"], each["ended"]))
            continue
        told, age = each["acknowledged"], each["age"]
        lines.append(
            "| %d | %d | %s | %.2f | %.2f | %d | %.0f | %.0f, %.0f | %d of %d | %s, %s | %.1f |"
            % (
                each["services"],
                each["agents"],
                each["heap"],
                each["cores"],
                each["cpuMillis"],
                each["resident"]["now"],
                each["live"],
                told["p50"],
                told["p99"],
                told["late"],
                told["seconds"],
                "%.2f" % age["p50"] if age["p50"] is not None else "-",
                "%.2f" % age["p99"] if age["p99"] is not None else "-",
                each["overviewBytes"] / 1e3,
            )
        )
    lines += ["", "CPU by thread, ms per service and second:", ""]
    names = list(dict.fromkeys(name for each in results for name in each.get("threads", {})))
    lines += ["| services | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for each in results:
        if "threads" in each:
            lines.append("| %d | %s |" % (each["services"], " | ".join("%.3f" % each["threads"].get(name, 0) for name in names)))
    for each in results:
        if "restart" in each:
            lines += ["", "%d services, kill -9 and start: %s" % (each["services"], json.dumps(each["restart"]))]
    return "\n".join(lines) + "\n"


def main():
    options = argparse.ArgumentParser(prog="bench fleet", allow_abbrev=False)
    options.add_argument("--central", required=True)
    options.add_argument("--fleet", required=True)
    options.add_argument("--jcmd", required=True)
    options.add_argument("--out", required=True)
    options.add_argument("--marker", default="")
    options.add_argument("--services", default="50,200,500")
    options.add_argument("--servers", type=int, default=10)
    options.add_argument("--heap", default="default")
    options.add_argument("--seconds", type=int, default=30)
    options.add_argument("--past", type=int, default=900)
    options.add_argument("--restart", action="store_true")
    options.add_argument("--profile", action="store_true")
    given = options.parse_args()
    sizes = [int(each) for each in given.services.split(",")]
    heaps = given.heap.split(",")
    heaps += heaps[-1:] * (len(sizes) - len(heaps))
    results = []
    for size, heap in zip(sizes, heaps):
        work = tempfile.mkdtemp(prefix="komainu-fleet-")
        try:
            results.append(measure(given, size, heap, work))
        finally:
            shutil.rmtree(work, ignore_errors=True)
        print(json.dumps(results[-1]), flush=True)
        with open(given.out + "/results.json", "w") as file:
            json.dump(results, file, indent=1)
        with open(given.out + "/results.md", "w") as file:
            file.write(table(results, given.marker))
    print(table(results, ""))
    return 1 if any("ended" in each or each["end"]["sent"] != each["end"]["accepted"] for each in results) else 0


if __name__ == "__main__":
    sys.exit(main())
