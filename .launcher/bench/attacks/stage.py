"""The platform under attack: its processes, an administrator who works, event streams, and a fleet that reports."""

import http.client
import json
import os
import shlex
import socket
import subprocess
import threading
import time

HOST = "127.0.0.1"
PAGES = ["/api/v1/overview", "/", "/api/v1/alerts"]


class Failed(Exception):
    """A condition of the measurement itself that does not hold."""


def request(port, method, path, body=None, headers=None, timeout=30):
    connection = http.client.HTTPConnection(HOST, port, timeout=timeout)
    try:
        try:
            connection.request(method, path, body, headers or {})
        except (BrokenPipeError, ConnectionResetError):
            pass  # the platform refuses a body before its end: its response has arrived
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        connection.close()


class Platform:
    """Ports, tokens and processes of one `./komainu up`."""

    def __init__(self, data, jcmd, up_log):
        self.data, self.jcmd, self.up_log = data, jcmd, up_log
        env = dict(line.strip().split("=", 1) for line in open(data + "/up.env"))
        self.port = int(env["KOMAINU_URL"].rsplit(":", 1)[1])
        self.proxy, self.control = self.port + 80, self.port + 81
        self.ingest = open(data + "/tokens/ingest.token").read().strip()
        self.read = env["KOMAINU_TOKEN"]
        self.headers = self.log_in_first()

    def log_in_first(self):
        first = open(self.data + "/central/first-password").read().split()[0]
        self.password = os.urandom(12).hex() + "-Kg7"
        session = self.log_in(first)
        body = json.dumps({"currentPassword": first, "newPassword": self.password})
        status, _, text = request(self.port, "PUT", "/api/v1/session/password", body, session)
        if status >= 300:
            raise Failed("password: %d %s" % (status, text[:300]))
        return self.log_in(self.password)

    def log_in(self, password):
        body = json.dumps({"name": "admin", "password": password})
        status, headers, text = request(self.port, "POST", "/api/v1/session", body, {"Content-Type": "application/json"})
        if status != 200:
            raise Failed("login: %d %s" % (status, text[:300]))
        cookies = [value.split(";")[0] for name, value in headers.items() if name.lower() == "set-cookie"]
        return {
            "Cookie": "; ".join(cookies),
            "X-CSRF-Token": json.loads(text)["csrfToken"],
            "Content-Type": "application/json",
        }

    def ask(self, method, path, body=None):
        status, _, text = request(self.port, method, path, None if body is None else json.dumps(body), self.headers)
        if status >= 300:
            raise Failed("%s %s: %d %s" % (method, path, status, text[:300]))
        return json.loads(text) if text else None

    def processes(self):
        """Process ids by part."""
        found = {}
        for part in ("central", "proxy", "agent"):
            with open("%s/run/%s.pid" % (self.data, part)) as file:
                pid = int(file.read())
            found[part] = pid if os.path.exists("/proc/%d" % pid) else None
        return found

    def java(self, part):
        """The process id of a part's JVM; a pid file may name its shell."""
        pid = self.processes()[part]
        if pid is None:
            return None
        if os.readlink("/proc/%d/exe" % pid).endswith("java"):
            return pid
        children = open("/proc/%d/task/%d/children" % (pid, pid)).read().split()
        return int(children[0]) if children else None

    def resident(self, part):
        """Resident megabytes now, and their peak."""
        pid = self.java(part)
        if pid is None:
            return None
        lines = dict(line.split(":", 1) for line in open("/proc/%d/status" % pid) if ":" in line)
        return [int(lines[name].split()[0]) // 1024 for name in ("VmRSS", "VmHWM")]

    def retained(self, part="central"):
        """Bytes of live objects of each class, after a full collection."""
        text = subprocess.run(
            [self.jcmd, str(self.java(part)), "GC.class_histogram"], capture_output=True, text=True, timeout=120
        ).stdout
        rows = [line.split() for line in text.splitlines()]
        objects = {" ".join(row[3:]): int(row[2]) for row in rows if len(row) > 3 and row[0].endswith(":") and row[2].isdigit()}
        # The serial collector leaves gaps of dead memory; they are shown as objects of these classes.
        return {name: size for name, size in objects.items() if "jdk.internal.vm.Filler" not in name}

    def services(self):
        return {service["id"] for service in self.ask("GET", "/api/v1/overview")["services"]}


class Administrator(threading.Thread):
    """Requests a page each second and measures it."""

    def __init__(self, platform):
        super().__init__(daemon=True)
        self.platform, self.ended = platform, threading.Event()
        self.lock, self.times, self.failures = threading.Lock(), [], []

    def run(self):
        number = 0
        while not self.ended.wait(1):
            path = PAGES[number % len(PAGES)]
            number += 1
            start = time.monotonic()
            try:
                status, _, _ = request(self.platform.port, "GET", path, headers=self.platform.headers, timeout=20)
                trouble = None if status == 200 else "%s: %d" % (path, status)
            except OSError as error:
                trouble = "%s: %s" % (path, error)
            except http.client.HTTPException as error:
                trouble = "%s: %r" % (path, error)
            with self.lock:
                self.times.append(time.monotonic() - start)
                if trouble:
                    self.failures.append(trouble)

    def take(self):
        """Requests, slowest and failures since the last call."""
        with self.lock:
            times, failures, self.times, self.failures = self.times, self.failures, [], []
        return {"pages": len(times), "slowest": round(max(times, default=0), 2), "failures": failures}


class Stream(threading.Thread):
    """One open event stream; counts its bytes."""

    def __init__(self, platform, headers):
        super().__init__(daemon=True)
        self.platform, self.headers, self.bytes, self.over = platform, headers, 0, None
        self.connection = http.client.HTTPConnection(HOST, platform.port, timeout=60)

    def close(self):
        """Ends the stream as a browser does that is closed."""
        if self.connection.sock:
            self.connection.sock.shutdown(socket.SHUT_RDWR)

    def run(self):
        connection = self.connection
        try:
            connection.request("GET", "/api/v1/stream?topics=overview", headers=self.headers)
            answer = connection.getresponse()
            self.status = answer.status
            while True:
                piece = answer.read1(65536)
                if not piece:
                    break
                self.bytes += len(piece)
        except (OSError, http.client.HTTPException):
            pass
        self.over = time.monotonic()


class Fleet:
    """Agents of many hosts that report until they are told to end."""

    def __init__(self, command, platform):
        self.process = subprocess.Popen(
            shlex.split(command)
            + ["--central", "http://%s:%d" % (HOST, platform.port), "--token-file", platform.data + "/tokens/ingest.token"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def end(self):
        """Ends the agents and returns what they sent."""
        text, _ = self.process.communicate(timeout=180)
        return json.loads(text.strip().splitlines()[-1])
