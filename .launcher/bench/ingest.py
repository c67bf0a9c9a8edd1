"""Compares the CPU of central services per batch. Each has a fleet of its own; all run at the same time."""

import argparse
import http.client
import json
import os
import re
import shlex
import shutil
import ssl
import statistics
import subprocess
import sys
import tempfile
import time

HOST = "127.0.0.1"
FIRST_PORT = 17_700
TICK = os.sysconf("SC_CLK_TCK")


class Central:
    """A central service with its fleet."""

    def __init__(self, name, command, port, work, fleet, komainu):
        self.name, self.port, self.data = name, port, os.path.join(work, name)
        self.tls = name == "tls"
        tokens = self.data + "-tokens"
        os.makedirs(tokens, 0o700)
        self.log = open(self.data + ".log", "w")
        self.process = subprocess.Popen(
            shlex.split(command)
            + ["--server.port=%d" % port, "--komainu.data=" + self.data, "--komainu.bootstrap-tokens=" + tokens, "--komainu.bootstrap-parts=any"]
            + (["--komainu.tls.mode=always"] if self.tls else []),
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )
        self.await_start()
        self.fleet = subprocess.Popen(
            shlex.split(fleet)
            + ["--central", "%s://%s:%d" % ("https" if self.tls else "http", HOST, port), "--directory", self.data + "-spools"]
            + ["--token-file", tokens + "/ingest.token"]
            + (["--codes", self.codes(komainu)] if self.tls else []),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.read = open(tokens + "/read.token").read().strip()

    def codes(self, komainu):
        """Writes the enrolment code of all agents into a file."""
        words = [komainu, "enrol", "--kind", "agent", "--uses", "100", "--network", "10.0.0.0/8", "--data", self.data, "--address", "%s:%d" % (HOST, self.port)]
        told = subprocess.run(words, capture_output=True, text=True, timeout=60)
        found = re.search(r"--enrol '([^']+)'", told.stdout)
        if not found:
            sys.exit("bench ingest: no enrolment code: " + told.stdout + told.stderr)
        with open(self.data + "-codes", "w") as file:
            file.write(found.group(1) + "\n")
        return self.data + "-codes"

    def await_start(self):
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                sys.exit("bench ingest: %s ended; its log:\n%s" % (self.name, open(self.log.name).read()[-2000:]))
            try:
                if self.ask("/actuator/health")[0] == 200:
                    return
            except OSError:
                pass  # not listening yet, or no authority yet
            time.sleep(0.5)
        sys.exit("bench ingest: %s did not start within 120 s" % self.name)

    def ask(self, path, headers=None):
        if self.tls:
            trust = ssl.create_default_context(cafile=self.data + "/authority/authority.pem")
            connection = http.client.HTTPSConnection(HOST, self.port, timeout=20, context=trust)
        else:
            connection = http.client.HTTPConnection(HOST, self.port, timeout=20)
        try:
            connection.request("GET", path, headers=headers or {})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def cpu_seconds(self):
        fields = open("/proc/%d/stat" % self.process.pid).read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def batches(self):
        """Batches and records that were stored since the start, as the service counts them."""
        status, text = self.ask("/metrics", {"Authorization": "Bearer " + self.read})
        if status != 200:
            sys.exit("bench ingest: %s: /metrics %d" % (self.name, status))
        counts = {"komainu_ingest_batches_total": 0.0, "komainu_ingest_records_total": 0.0}
        for line in text.splitlines():
            name = line.split("{")[0].split(" ")[0]
            if name in counts:
                counts[name] += float(line.rsplit(" ", 1)[1])
        return counts["komainu_ingest_batches_total"], counts["komainu_ingest_records_total"]

    def take(self):
        return (self.cpu_seconds(), *self.batches())

    def peak_megabytes(self):
        for line in open("/proc/%d/status" % self.process.pid):
            if line.startswith("VmHWM"):
                return int(line.split()[1]) // 1024
        return 0

    def end(self):
        text, _ = self.fleet.communicate(timeout=180)
        self.process.terminate()
        self.process.wait(60)
        return json.loads(text.strip().splitlines()[-1])


def main():
    options = argparse.ArgumentParser(prog="bench ingest")
    options.add_argument("--fleet", required=True)
    options.add_argument("--out", required=True)
    options.add_argument("--komainu", required=True)
    options.add_argument("--build", action="append", required=True)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--seconds", type=int, default=60)
    options.add_argument("--warm-up", type=int, default=90)
    given = options.parse_args()
    work = tempfile.mkdtemp(prefix="komainu-ingest-")
    centrals = []
    try:
        for number, build in enumerate(given.build):
            name, command = build.split("=", 1)
            centrals.append(Central(name, command, FIRST_PORT + number, work, given.fleet, given.komainu))
        print("%d s of warm-up …" % given.warm_up, flush=True)
        time.sleep(given.warm_up)
        costs = {central.name: [] for central in centrals}
        for number in range(given.rounds):
            before = {central.name: central.take() for central in centrals}
            time.sleep(given.seconds)
            for central in centrals:
                cpu, batches, records = (now - then for now, then in zip(central.take(), before[central.name]))
                costs[central.name].append((cpu / batches * 1e3, cpu / records * 1e6, batches, records))
            print("round %d: %s" % (number + 1, {name: round(rounds[-1][0], 2) for name, rounds in costs.items()}), flush=True)
        peaks = {central.name: central.peak_megabytes() for central in centrals}
        ends = {central.name: central.end() for central in centrals}
        centrals = []
    finally:
        for central in centrals:
            central.fleet.kill() if hasattr(central, "fleet") else None
            central.process.kill()
        shutil.rmtree(work, ignore_errors=True)
    lines = ["| build | ms of CPU per batch | least to most | µs of CPU per record | batches in a round | peak resident MB | records accepted, stored, dropped |", "|---|---|---|---|---|---|---|"]
    for name, rounds in costs.items():
        each = [row[0] for row in rounds]
        end = ends[name]
        lines.append(
            "| %s | %.2f | %.2f to %.2f | %.0f | %.0f | %d | %d, %d, %d |"
            % (
                name,
                statistics.median(each),
                min(each),
                max(each),
                statistics.median(row[1] for row in rounds),
                statistics.median(row[2] for row in rounds),
                peaks[name],
                end["accepted"],
                end["sent"],
                end["dropped"],
            )
        )
    if "old" in costs:
        ratio = lambda one, other: [a[0] / b[0] for a, b in zip(costs[one], costs[other])]
        for one, other in [(name, "old") for name in costs if name != "old"]:
            shares = ratio(one, other)
            lines.append("")
            lines.append("%s/%s, median of the rounds: %.3f (%.3f to %.3f)" % (one, other, statistics.median(shares), min(shares), max(shares)))
    text = "\n".join(lines) + "\n"
    with open(given.out + "/results.md", "w") as file:
        file.write(text)
    print(text)


if __name__ == "__main__":
    main()
