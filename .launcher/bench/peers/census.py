"""What a Java process holds: objects by class, connections by state, descriptors, threads, memory; and what its /metrics counts."""

import os
import re
import subprocess
import time
import urllib.request

# A line of GC.class_histogram: number, instances, bytes, class, module.
CLASS = re.compile(r"^\s*\d+:\s+(\d+)\s+(\d+)\s+(\S+)")
# Hidden classes, such as lambdas, have an address in their names.
ADDRESS = re.compile(r"[/+]0x[0-9a-f]+|\$\$Lambda/\S*")
METRIC = re.compile(r"^(komainu_proxy_\w+(?:\{[^}]*\})?) (\S+)$")


def classes(jcmd, pid):
    """Live objects after a full collection: class → (instances, bytes)."""
    # Objects with a finalizer, such as a connection's TLS engine, outlive the first collection.
    for command in ("GC.run", "GC.run_finalization"):
        subprocess.run([jcmd, str(pid), command], capture_output=True, check=True)
    told = subprocess.run([jcmd, str(pid), "GC.class_histogram"], capture_output=True, text=True, check=True)
    found = {}
    for line in told.stdout.splitlines():
        match = CLASS.match(line)
        if match:
            name = ADDRESS.sub("/…", match.group(3))
            count, size = found.get(name, (0, 0))
            found[name] = count + int(match.group(1)), size + int(match.group(2))
    if not found:
        raise SystemExit("jcmd %d GC.class_histogram: %s (expected: a histogram)" % (pid, told.stdout[:200]))
    return found


def descriptors(pid):
    """Open descriptors by kind: socket, file, pipe, anon_inode."""
    found = {}
    for name in os.listdir("/proc/%d/fd" % pid):
        try:
            target = os.readlink("/proc/%d/fd/%s" % (pid, name))
        except OSError:
            continue
        kind = target.partition(":")[0] if ":[" in target or target.startswith("anon_inode:") else "file"
        found[kind] = found.get(kind, 0) + 1
    return found


def connections(ports):
    """TCP sockets with one of these local ports, by state."""
    wanted = " or ".join("sport = :%d" % port for port in ports)
    told = subprocess.run(["ss", "-tanH", wanted], capture_output=True, text=True, check=True)
    found = {}
    for line in told.stdout.splitlines():
        state = line.split()[0]
        found[state] = found.get(state, 0) + 1
    return found


def memory(pid):
    """Resident and proportional memory in MB, and the number of threads."""
    values = {}
    with open("/proc/%d/smaps_rollup" % pid) as rollup:
        for line in rollup:
            if line.startswith(("Rss:", "Pss:")):
                values[line[:3].lower()] = int(line.split()[1]) / 1024
    with open("/proc/%d/status" % pid) as status:
        values["threads"] = next(int(line.split()[1]) for line in status if line.startswith("Threads:"))
    return values


def metrics(port):
    """Every number of the page, without the prefix; buckets of histograms are left out."""
    with urllib.request.urlopen("http://127.0.0.1:%d/metrics" % port, timeout=20) as page:
        text = page.read().decode()
    found = {}
    for line in text.splitlines():
        match = METRIC.match(line)
        if match and "_bucket" not in match.group(1):
            found[match.group(1)[len("komainu_proxy_"):]] = float(match.group(2))
    return found


def outcomes(page):
    """Exchanges that have ended, in all."""
    return sum(value for name, value in page.items() if name.startswith("exchanges_total"))


def sample(peer, begun):
    """One line of the time series."""
    pid, page = peer.process.pid, metrics(peer.control)
    sockets = page["client_connections"] + page["origin_connections"]
    kinds = descriptors(pid)
    return {"at": round(time.monotonic() - begun, 1), **memory(pid), "descriptors": sum(kinds.values()),
        "besidesConnections": sum(kinds.values()) - sockets, "clients": page["client_connections"], "origins": page["origin_connections"],
        "requests": page["requests_total"], "errors": page['exchanges_total{outcome="error"}'], "objects": page["cache_objects"],
        "cacheMb": page["cache_bytes"] / 1048576, "cpuSeconds": sum(peer.cpu())}


def grown(before, after, share, few):
    """Classes with more instances than before by more than this share and this number: (class, before, after, bytes more)."""
    found = []
    for name, (count, size) in after.items():
        old_count, old_size = before.get(name, (0, 0))
        if count - old_count > max(few, old_count * share):
            found.append((name, old_count, count, size - old_size))
    return sorted(found, key=lambda one: -one[3])
