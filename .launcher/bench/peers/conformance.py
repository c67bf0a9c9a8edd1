"""HTTP/2 and TLS of the proxy: h2spec's cases and the findings of testssl.sh."""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys

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


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--java", required=True)
    options.add_argument("--h2spec", required=True)
    options.add_argument("--out", required=True)
    chosen = options.parse_args()
    peers.Komainu.java = shlex.split(chosen.java)
    stage = rows.Stage(chosen)
    faults = []
    try:
        proxy = peers.Komainu(stage.work, stage.origin.port)
        proxy.start()
        stage.running.append(proxy)
        faults += h2spec(chosen.h2spec, chosen.out, "clear", "-p", str(proxy.port))
        faults += h2spec(chosen.h2spec, chosen.out, "tls", "-p", str(proxy.tls_port), "-t", "-k")
        faults += testssl(chosen.out, proxy.tls_port)
    finally:
        stage.clear()
    for fault in faults:
        print("  " + fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
