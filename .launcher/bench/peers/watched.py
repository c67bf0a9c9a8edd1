"""Komainu as the soak starts it: with its control endpoint, and with a second origin that is faulty."""

import json
import os
import urllib.request

import peers
from memory import heap

CACHE_MB = 64
TOKEN = "a-token-for-this-run"


class Watched(peers.Komainu):
    """Komainu with its control endpoint, and with a second origin that is faulty."""

    def __init__(self, work, origin_port, faulty_port):
        super().__init__(work, origin_port, CACHE_MB)
        self.faulty, self.control = faulty_port, peers.free_port(27100)
        self.java = heap(self.java, CACHE_MB)
        self.grace = 10

    def command(self):
        return self.java + ["--listen", "127.0.0.1:%d" % self.port, "--control", "127.0.0.1:%d" % self.control, "--workers", "1",
            "--memory", "%dMB" % self.cache_mb, "--config", self.settings()]

    def settings(self):
        path = super().settings()
        with open(path) as before:
            text = before.read()
        tokens = self.write("tokens", TOKEN + "\n")
        os.chmod(tokens, 0o600)
        unit = "m" if isinstance(self.grace, int) else ""
        return self.write("komainu.yaml", text + f"""cache:
  grace: {self.grace}{unit}
control:
  token-file: {tokens}
routes:
  - {{prefix: /, origin: "http://127.0.0.1:{self.origin}"}}
  - {{prefix: /fault/, origin: "http://127.0.0.1:{self.faulty}"}}
""")

    def configure(self, grace):
        """Writes the file for the next reload: minutes, or a word that is a mistake."""
        self.grace = grace
        self.settings()

    def purge(self, order):
        """Returns the number of objects purged."""
        request = urllib.request.Request("http://127.0.0.1:%d/control/v1/purge" % self.control, json.dumps(order).encode(),
            {"Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"}, method="POST")
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.loads(answer.read())["purged"]

    def log_errors(self):
        """Lines of level ERROR; those of a refused reload are wanted."""
        with open(os.path.join(self.work, "log"), errors="replace") as log:
            return [line.strip() for line in log if " ERROR " in line and "The reload changed nothing" not in line]


    def log_tail(self):
        with open(os.path.join(self.work, "log"), errors="replace") as log:
            return log.read()[-20000:].splitlines()
