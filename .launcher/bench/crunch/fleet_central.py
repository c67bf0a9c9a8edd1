"""A central service of its own for a measurement of a fleet: its process, its administrator, its pages and its stream; and the played agents."""

import http.client
import json
import os
import re
import shlex
import ssl
import subprocess
import sys
import threading
import time

HOST = "127.0.0.1"
PORT = 17_900
START_SECONDS = 300
TICK = os.sysconf("SC_CLK_TCK")
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

    def __init__(self, given, services, heap, work, port=PORT):
        self.given, self.work, self.data, self.port = given, work, work + "/data", port
        self.tls = getattr(given, "tls", False)
        self.address = "%s://%s:%d" % ("https" if self.tls else "http", HOST, port)
        self.tokens = work + "/tokens"
        os.makedirs(self.tokens, 0o700, exist_ok=True)
        command = shlex.split(given.central)
        if heap != "default":
            # Of two -Xmx the last one counts; options stand before the class path.
            command.insert(1 + max([0] + [i for i, word in enumerate(command) if word.startswith("-Xmx")]), "-Xmx" + heap)
        agents = services // given.servers + 1
        self.command = command + [
            "--server.port=%d" % port,
            "--komainu.data=" + self.data,
            "--komainu.bootstrap-tokens=" + self.tokens,
            "--komainu.bootstrap-parts=any",
            "--komainu.fleet.max-services=%d" % max(services, 500),
            "--komainu.fleet.max-sources=%d" % max(agents, 500),
        ]
        if self.tls:
            self.command.append("--komainu.tls.mode=always")
        self.log = open(work + "/central.log", "a")
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=self.log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            self.check()
            try:
                if self.ask("GET", "/actuator/health")[0] == 200:
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
        expect(self.ask("PUT", "/api/v1/session/password", {"currentPassword": first, "newPassword": password}, session))
        self.headers = self.session(password)

    def session(self, password):
        status, headers, text = self.ask("POST", "/api/v1/session", {"name": "admin", "password": password})
        expect((status, headers, text))
        cookies = [value.split(";")[0] for name, value in headers.items() if name.lower() == "set-cookie"]
        return {"Cookie": "; ".join(cookies), "X-CSRF-Token": json.loads(text)["csrfToken"]}

    def create_tokens(self, agents):
        directory = self.work + "/agents"
        os.makedirs(directory, 0o700)
        for number in range(1, agents + 1):
            reporting = {"source": "agent@host-%d" % number, "node": "host-%d" % number, "networks": ["10.%d.%d.0/24" % (number // 250, number % 250)]}
            body = {"name": "agent %d" % number, "scopes": ["ingest"], "expiresInDays": 1, "reporting": reporting}
            _, _, text = expect(self.ask("POST", "/api/v1/tokens", body, self.headers))
            with open("%s/%d.token" % (directory, number), "w") as file:
                file.write(json.loads(text)["secret"])
        return directory

    def create_codes(self, agents):
        """Writes enrolment codes into a file, one line for each hundred agents."""
        file = self.work + "/codes"
        with open(file, "w") as codes:
            for _ in range(0, agents, 100):
                words = [self.given.komainu, "enrol", "--kind", "agent", "--uses", "100", "--minutes", "60", "--network", "10.0.0.0/8", "--data", self.data]
                words += ["--address", "%s:%d" % (HOST, self.port)]
                told = subprocess.run(words, capture_output=True, text=True, timeout=60)
                found = re.search(r"--enrol '([^']+)'", told.stdout)
                if not found:
                    sys.exit("bench fleet: no enrolment code: " + told.stdout + told.stderr)
                codes.write(found.group(1) + "\n")
        return file

    def connection(self, timeout):
        if not self.tls:
            return http.client.HTTPConnection(HOST, self.port, timeout=timeout)
        trust = ssl.create_default_context(cafile=self.data + "/authority/authority.pem")
        return http.client.HTTPSConnection(HOST, self.port, timeout=timeout, context=trust)

    def ask(self, method, path, body=None, headers=None, timeout=30):
        connection = self.connection(timeout)
        try:
            sent = {"Content-Type": "application/json"} if body is not None else {}
            connection.request(method, path, None if body is None else json.dumps(body), {**sent, **(headers or {})})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def read(self, path):
        """The content of a page, as a program with a token for reading gets it."""
        return json.loads(expect(self.ask("GET", path, headers=self.read_headers()))[2])

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


def expect(answer):
    if answer[0] >= 300:
        sys.exit("bench fleet: %d %s" % (answer[0], answer[2][:300]))
    return answer


class Stream(threading.Thread):
    """An open event stream, as a tab has one: its bytes, its events, and the age of each judged second when its point arrives."""

    def __init__(self, central, topics, headers, version=None):
        """version: that of the services which the tab holds; the bytes are then as a browser receives them, compressed."""
        super().__init__(daemon=True)
        self.central, self.topics, self.headers, self.version, self.ended = central, topics, headers, version, threading.Event()
        self.bytes, self.events, self.ages = 0, 0, []

    def run(self):
        connection = self.central.connection(120)
        target = "/api/v1/stream?" + "&".join("topics=" + topic for topic in self.topics)
        if self.version:
            connection.request("GET", target + "&version=" + self.version, headers={**self.headers, "Accept-Encoding": "gzip"})
            self.count(connection.getresponse())
        else:
            connection.request("GET", target, headers=self.headers)
            self.read_events(connection.getresponse())
        connection.close()

    def count(self, answer):
        while not self.ended.is_set():
            part = answer.read1(65536)
            if not part:
                break
            self.bytes += len(part)

    def read_events(self, answer):
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
                self.received(event, line[5:])

    def received(self, event, data):
        if event == "point":
            self.ages.append(time.time() - json.loads(data)["time"] - 1)


class Fleet:
    """The played agents of one central service."""

    def __init__(self, given, central, agents, credentials):
        command = shlex.split(given.fleet) + ["--agents", str(agents), "--servers", str(given.servers), "--past", str(given.past)]
        command += ["--central", central.address, "--codes" if central.tls else "--tokens", credentials]
        command += ["--token-file", central.tokens + "/ingest.token"]
        command += ["--directory", central.work + "/spools"]
        self.log = open(central.work + "/fleet.log", "w")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)

    def take(self, changing=""):
        """The acknowledgements since the last call. changing: percentage of the servers whose figures change from now on."""
        try:
            self.process.stdin.write("%s\n" % changing)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # the end of the process is told below
        told = self.process.stdout.readline()
        if not told:
            sys.exit("bench fleet: the agents' process ended with code %s\n%s" % (self.process.wait(30), open(self.log.name).read()[-3000:]))
        return json.loads(told)

    def end(self):
        text, _ = self.process.communicate(timeout=300)
        return json.loads(text.strip().splitlines()[-1])
