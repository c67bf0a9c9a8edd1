"""HTTP/2 and TLS of the proxy: h2spec's cases, the findings of testssl.sh, and the public HTTP cache tests over HTTP/1.1 and HTTP/2."""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import urllib.error
import urllib.request

import peers
import rows

# The certificate is made for this run and signed by itself; the fields are the origin's; the name is loopback's.
LEFT_OUT = re.compile(r"^(cert_.*|DNS_CAArecord|OCSP_.*|HSTS|security_headers)$")
WEAK = ("LOW", "MEDIUM", "HIGH", "CRITICAL", "WARN")
# https://wiki.mozilla.org/Security/Server_Side_TLS, "intermediate", for a certificate on P-256.
PROTOCOLS = {"TLS1": "not offered", "TLS1_1": "not offered", "TLS1_2": "offered", "TLS1_3": "offered with final"}
SUITES = {
    "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256",
    "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305",
}
GROUPS = {"X25519", "prime256v1", "secp384r1"}
# The tests that contradict RFC 9110, RFC 9111 or RFC 9112: docs/decisions/0040-parts-and-the-cache-tests.md says why for each.
NOT_PASSED = {
    "headers-store-Content-Length", "headers-store-Transfer-Encoding", "conditional-lm-fresh-no-lm", "vary-normalise-lang-select",
    "partial-store-partial-complete", "partial-store-partial-reuse-partial", "partial-store-partial-reuse-partial-absent",
    "partial-store-partial-reuse-partial-byterange", "partial-store-partial-reuse-partial-suffix",
}


def h2spec(program, out, name, *arguments):
    """The faults that h2spec found, by a run over one kind of connection."""
    run = subprocess.run([program, "--strict", "-h", "127.0.0.1", "--path", "/10k", "-o", "5", *arguments], capture_output=True, text=True, timeout=600)
    with open(os.path.join(out, "h2spec-%s.txt" % name), "w") as log:
        log.write(run.stdout + run.stderr)
    said = re.search(r"^(\d+) tests, (\d+) passed, (\d+) skipped, (\d+) failed", run.stdout, re.M)
    print("h2spec, %s: %s" % (name, said.group(0) if said else "no result, see h2spec-%s.txt" % name), flush=True)
    return [] if said and said.group(1) == said.group(2) and int(said.group(1)) > 100 else ["h2spec, " + name]


def testssl(out, port):
    """What testssl.sh found that is weak or differs from the profile."""
    report = os.path.join(out, "testssl.json")
    if os.path.exists(report):
        os.remove(report)
    subprocess.run(["testssl", "--quiet", "--color", "0", "--warnings", "off", "--ip", "127.0.0.1", "--jsonfile", report, "https://localhost:%d" % port],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=900)
    with open(report) as lines:
        findings = {one["id"]: one for one in json.load(lines)}
    faults = ["%s: %s (%s)" % (name, one["finding"], one["severity"]) for name, one in findings.items()
        if one["severity"] in WEAK and not LEFT_OUT.match(name)]
    for name, expected in PROTOCOLS.items():
        if findings.get(name, {}).get("finding") != expected:
            faults.append("%s: %s (expected: %s)" % (name, findings.get(name, {}).get("finding"), expected))
    for names, expected in (("PFS_ciphers", SUITES), ("PFS_ECDHE_curves", GROUPS), ("FS_ciphers", SUITES), ("FS_ECDHE_curves", GROUPS)):
        if names in findings and set(findings[names]["finding"].split()) != expected:
            faults.append("%s: %s (expected: %s)" % (names, findings[names]["finding"], " ".join(sorted(expected))))
    if not any(names in findings for names in ("PFS_ciphers", "FS_ciphers")):
        faults.append("no suites reported")
    print("testssl.sh: %d findings, %d of them weak or outside Mozilla's intermediate profile" % (len(findings), len(faults)), flush=True)
    return faults


class CacheTested(peers.Komainu):
    """The proxy before the suite's own origin, with an access log that tells each request's protocol."""

    name = "cache-tested"
    log = ""

    def settings(self):
        with open(super().settings(), "a") as out:
            out.write("log:\n  access: %s\n  format: common\n" % self.log)
        return os.path.join(self.work, "komainu.yaml")

    def answers(self):
        # The suite's origin has no file of this name: its 404 comes through the proxy.
        try:
            return urllib.request.urlopen("http://127.0.0.1:%d/ready" % self.port, timeout=5).status == 404
        except urllib.error.HTTPError as answer:
            return answer.code == 404
        except OSError:
            return False

    def requests(self):
        """The tests' requests by protocol, as the access log tells them; the proxy must have stopped."""
        protocols = {}
        with open(self.log) as lines:
            for line in lines:
                said = re.search(r'"[A-Z]+ [^ "]*/test/[^ "]* (HTTP/[0-9.]+)"', line)
                if said:
                    protocols[said.group(1)] = protocols.get(said.group(1), 0) + 1
        return protocols


def cache_tests(directory, stage, out):
    """The tests of the public suite that fail and should not, and those whose result depends on the protocol."""
    for name in os.listdir(out):
        if name.startswith("cache-tests-"):
            os.remove(os.path.join(out, name))
    origin = peers.free_port(27050)
    suite = os.path.join(directory, "suite")
    environment = dict(os.environ, npm_config_protocol="http", npm_config_port=str(origin), npm_config_pidfile=os.path.join(stage.work, "suite.pid"))
    server = peers.started(["node", os.path.join(suite, "test-engine", "server", "server.mjs")], None, os.path.join(out, "cache-tests-origin.log"), environment)
    results = {}
    proxy = CacheTested(stage.work, origin)
    proxy.log = os.path.join(out, "cache-tests-access.log")
    try:
        proxy.start()
        runs = {}
        for name, base in (("h1", "http://127.0.0.1:%d" % proxy.port), ("h2", "https://127.0.0.1:%d" % proxy.tls_port)):
            command = ["node", os.path.join(os.path.dirname(os.path.abspath(__file__)), "cache-tests.mjs"), "--suite", suite, "--base", base,
                "--out", os.path.join(out, "cache-tests-%s.json" % name), *(["--http2", "--ca", stage.work + "/chain.pem"] if name == "h2" else [])]
            # Both at once: each waits most of the time, for a response to become stale.
            runs[name] = peers.started(command, None, os.path.join(out, "cache-tests-%s.log" % name), boost=False)
        for name, run in runs.items():
            if run.wait(timeout=900) != 0:
                return ["cache-tests, %s: exit code %d, see cache-tests-%s.log" % (name, run.returncode, name)]
            with open(os.path.join(out, "cache-tests-%s.json" % name)) as written:
                results[name] = json.load(written)
    finally:
        proxy.stop()
        server.kill()
        server.wait()
    requests = proxy.requests()
    faults = []
    if set(requests) != {"HTTP/1.1", "HTTP/2.0"}:
        faults.append("cache-tests: requests by protocol %s (expected: HTTP/1.1 and HTTP/2.0)" % requests)
    for name, result in results.items():
        passed = {kind: [one["result"] is True for one in result.values() if one["kind"] == kind] for kind in ("required", "optimal")}
        print("cache-tests, %s: %s, %d requests" % (name,
            ", ".join("%d of %d %s" % (sum(all_of), len(all_of), kind) for kind, all_of in passed.items()),
            requests.get({"h1": "HTTP/1.1", "h2": "HTTP/2.0"}[name], 0)), flush=True)
        faults += ["cache-tests, %s: %s: %s" % (name, test, one["result"][1]) for test, one in result.items()
            if one["kind"] != "check" and one["result"] is not True and test not in NOT_PASSED]
    for test in sorted(results["h1"].keys() | results["h2"].keys()):
        first, second = (results[name].get(test, {}).get("result") for name in ("h1", "h2"))
        if (first is True) != (second is True):
            faults.append("cache-tests: %s differs: over HTTP/1.1 %s, over HTTP/2 %s" % (test, first, second))
    return faults


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--java", required=True)
    options.add_argument("--h2spec", help="the program; without it its cases are left out")
    options.add_argument("--testssl", action="store_true")
    options.add_argument("--cache-tests", help="the directory of the suite and of its client; without it its tests are left out")
    options.add_argument("--out", required=True)
    chosen = options.parse_args()
    peers.Komainu.java = shlex.split(chosen.java)
    stage = rows.Stage(chosen)
    faults = []
    try:
        proxy = peers.Komainu(stage.work, stage.origin.port)
        proxy.start()
        stage.running.append(proxy)
        if chosen.h2spec:
            faults += h2spec(chosen.h2spec, chosen.out, "clear", "-p", str(proxy.port))
            faults += h2spec(chosen.h2spec, chosen.out, "tls", "-p", str(proxy.tls_port), "-t", "-k")
        if chosen.testssl:
            faults += testssl(chosen.out, proxy.tls_port)
        if chosen.cache_tests:
            faults += cache_tests(chosen.cache_tests, stage, chosen.out)
    finally:
        stage.clear()
    for fault in faults:
        print("  " + fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
