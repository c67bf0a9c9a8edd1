"""The complete platform, as in production: the central service, the agent on the servers' host, a probe at the visitors' side; and its states.

Asked once a second over REST, as a console would ask. Everything keeps its defaults, the agent's host samples above all.
"""

import http.client
import json
import os
import threading
import time
import urllib.parse

from administrator import Administrator
from stage import Missing

NO_ALARM = ("normal", "unknown")


def told_by(service):
    """A service's cause and evidence, in words."""
    return {"cause": (service or {}).get("cause", {}).get("en", ""), "evidence": [e["text"]["en"] for e in (service or {}).get("evidence", [])]}


class Watch:
    def __init__(self, stage, parts, record=False, changing=None, central=()):
        """changing: settings of the central service for verification; when present, the agent may execute orders. central: further arguments of it."""
        self.stage, self.parts, self.record, self.changing, self.central = stage, parts, record, changing, list(central)
        self.port = stage.port()
        self.histories, self.latest, self.lock = {}, {}, threading.Lock()
        self.polls, self.longest_gap, self.stopping = 0, 0.0, threading.Event()
        self.thread = None

    def start(self, interfaces, probed, ports=(), labels=()):
        """interfaces: of the server's namespace. probed: {interface of the clients: [ADDRESS:PORT, …]}. ports: of servers that the agent may not know.
        labels: PORT:KEY=VALUE."""
        work, stage = self.stage.work, self.stage
        for name in ("central", "tokens", "agent", "probe"):
            os.makedirs("%s/%s" % (work, name), mode=0o700, exist_ok=True)
        central = stage.start("central", self.parts["central"] + ["--komainu.listen=0.0.0.0:%d" % self.port, "--komainu.tls.mode=off",
            "--komainu.data=%s/central" % work, "--komainu.bootstrap-tokens=%s/tokens" % work, "--komainu.bootstrap-parts=any"] + (self.changing or []) + self.central)
        self.await_health(central)
        with open(work + "/tokens/read.token") as token:
            self.token = token.read().strip()
        if self.changing:
            self.administrator = Administrator(self.port, work + "/central")
        allowed = ["--allow-changes"] if self.changing else []
        self.agent("agent", None, "http://127.0.0.1:%d" % self.port, allowed + ["--interface", "lo"] + [a for i in interfaces for a in ("--interface", i)] + [a for p in ports for a in ("--also-port", p)]
            + [a for label in labels for a in ("--label", label)])
        if probed:
            options = ["--capture-only", "--node", "probe"]
            for interface, services in probed.items():
                options += ["--interface", interface] + [a for s in services for a in ("--service", s)]
            self.agent("probe", "client", "http://10.97.0.1:%d" % self.port, options)
        self.thread = threading.Thread(target=self.poll, daemon=True)
        self.thread.start()

    def agent(self, name, ns, url, options):
        printing = ["--print"] if self.record else []
        self.stage.start(name, self.stage.with_own_sys(name) + self.parts["agent"] + ["--central", url, "--token-file", self.stage.work + "/tokens/ingest.token",
            "--data", "%s/%s" % (self.stage.work, name)] + options + printing, ns=ns)

    def await_health(self, central):
        deadline = time.monotonic() + 150
        while time.monotonic() < deadline:
            if central.poll() is not None:
                break
            try:
                if self.get("/actuator/health", token=False)[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.3)
        raise Missing("central service: not healthy (its output: %s)" % self.stage.words("central", 1500))

    def get(self, path, token=True, patience=10):
        """Sends a request on a connection of its own, so that any thread may call it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=patience)
        try:
            connection.request("GET", path, headers={"Authorization": "Bearer " + self.token} if token else {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def ask(self, path):
        status, body = self.get(path)
        if status != 200:
            raise OSError("%s: %d %s" % (path, status, body[:200].decode(errors="replace")))
        return json.loads(body)

    # ---- what it says of each service ---------------------------------------------------------------------------

    def poll(self):
        due, last = time.monotonic(), time.monotonic()
        while not self.stopping.is_set():
            try:
                page = self.ask("/api/v1/services?limit=1000")
                now = time.time()
                self.polls += 1
                self.longest_gap, last = max(self.longest_gap, time.monotonic() - last), time.monotonic()
                with self.lock:
                    for service in page["items"]:
                        if not service.get("originSideOf"):
                            self.note(now, service)
            except (OSError, ValueError):
                pass
            due = max(due + 1, time.monotonic())
            self.stopping.wait(due - time.monotonic())

    def note(self, now, service):
        port = int(service["id"].rpartition(":")[2]) if service["id"].rpartition(":")[2].isdigit() else 0
        history = self.histories.setdefault(port, [])
        if not history or history[-1]["state"] != service["state"]:
            history.append({"at": now, "state": service["state"], **told_by(service)})
        self.latest[port] = service

    def service(self, port):
        with self.lock:
            return self.latest.get(port)

    def state(self, port):
        service = self.service(port)
        return service["state"] if service else "unheard"

    def history(self, port, since=0.0, until=1e18):
        """The states between two times, each with the time of its first observation, preceded by the state before `since`."""
        with self.lock:
            entries = list(self.histories.get(port, ()))
        inside = [e for e in entries if since < e["at"] <= until]
        before = [e for e in entries if e["at"] <= since]
        return before[-1:] + inside

    def learnt(self, port):
        """Whether the usual values are learnt: only then can the response time be compared."""
        service = self.service(port)
        if not service:
            return False
        series = self.ask("/api/v1/services/%s/series?index=responseRatio&stepSeconds=1&from=%s" % (
            urllib.parse.quote(service["id"], safe=""), time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 8))))
        return any(v is not None for v in series["columns"].get("responseRatio", ()))

    def stop(self):
        self.stopping.set()
        if self.thread:
            self.thread.join(15)
