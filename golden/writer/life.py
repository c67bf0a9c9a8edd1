"""A short life of a whole platform: runs inside the namespaces that make-golden has made."""
import datetime
import http.server
import json
import os
import shutil
import subprocess
import threading
import time
import zipfile

import parts
from parts import DATA, Person, fetch, start, stop, until

OUT = "/srv/out"
PASSWORD = "golden correct horse"
CONTROL = "golden-control-token-0001"


def classpath():
    modules = {"src": "komainu-central", "proxy-core": "komainu-proxy", "monitor/agent": "komainu-agent"}
    found = [f"/srv/komainu/monitor/telemetry/target/{kind}" for kind in ("classes", "test-classes")]
    found.append("/srv/komainu/src/target/classes")
    return ":".join(found + [f"/srv/komainu/{module}/target/lib/*" for module in modules])


def write(name, text, mode=0o644):
    path = f"{DATA}/{name}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)


def pack(name, directory, leave=()):
    with zipfile.ZipFile(f"{OUT}/{name}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for place, _, files in sorted(os.walk(directory)):
            for file in sorted(files):
                inside = os.path.relpath(os.path.join(place, file), directory)
                if inside not in leave:
                    archive.write(os.path.join(place, file), inside)


def expect(name, value):
    os.makedirs(f"{OUT}/expected", exist_ok=True)
    with open(f"{OUT}/expected/{name}", "w") as file:
        json.dump(value, file, indent=1, ensure_ascii=False, sort_keys=True)
        file.write("\n")


def prepare():
    os.chmod("/srv", 0o755)
    shutil.copytree("/srv/writer/conf", f"{DATA}/conf")
    write("tokens/cluster.secret", "golden-secret-of-the-fixture-0123456789abcdef\n", 0o600)
    write("tokens/control.tokens", CONTROL + " read,purge,config\n", 0o600)
    write("tokens/caches", f"golden-edge:7780 http://127.0.0.1:7781 {CONTROL}\ngolden/web1 http://127.0.0.1:7792 {CONTROL}\n", 0o600)
    os.makedirs(f"{DATA}/tls")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "36500", "-subj", "/CN=golden.example", "-keyout",
                    f"{DATA}/tls/golden.key", "-out", f"{DATA}/tls/golden.crt"], check=True, capture_output=True)
    os.chmod(f"{DATA}/tls/golden.key", 0o600)
    for name in ("page", "priority", "purged", "tagged", "prefix", "shared"):
        os.makedirs(f"{DATA}/www/{name}")
        for i in range(1, 31):
            body = f"<!doctype html><title>{name} {i}</title>" + f"golden {name} {i} " * 4000
            write(f"www/{name}/{i}.html", body)
    for name in ("style.css", "script.js", "picture.svg"):
        write(f"www/site/{name}", f"/* golden {name} */" * 50)
    write("www/site/index.html", '<link rel="stylesheet" href="style.css"><script src="script.js"></script><img src="picture.svg">')
    write("nginx/nginx.conf", NGINX)


NGINX = """\
worker_processes 1;
pid /srv/data/nginx/pid;
error_log /srv/data/nginx/error.log;
events { worker_connections 256; }
http {
  types { text/html html; text/css css; text/javascript js; image/svg+xml svg; }
  log_format timed '%REMOTE - - [$time_local] "$request" $status $body_bytes_sent $request_time';
  access_log /srv/data/nginx/access.log combined;
  server {
    listen 127.0.0.1:8080;
    root /srv/data/www;
    location / { add_header Cache-Control "public, max-age=2147483000"; }
    location /tagged/ { add_header Cache-Control "public, max-age=2147483000"; add_header Surrogate-Key golden-tag; }
    location /fault/ { return 503; }
  }
}
""".replace("%REMOTE", "$remote_addr")


def nginx():
    subprocess.run(["nginx", "-c", f"{DATA}/nginx/nginx.conf", "-e", f"{DATA}/nginx/error.log"], check=True)


class Hook(http.server.BaseHTTPRequestHandler):
    """A receiver of notices that refuses its first."""
    told = 0

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        Hook.told += 1
        self.send_response(500 if Hook.told == 1 else 204)
        self.end_headers()

    def log_message(self, *_):
        pass


def visit(path, port=8080, host=None):
    try:
        return fetch(f"http://127.0.0.1:{port}{path}", host=host, timeout=5)
    except OSError:
        return None


class Visitors:
    """Pages of the server, one after the other, until told to stop."""

    def __init__(self, port, paths, host=None, pause=0.05):
        self.going = True
        self.thread = threading.Thread(target=self.run, args=(port, paths, host, pause), daemon=True)
        self.thread.start()

    def run(self, port, paths, host, pause):
        n = 0
        while self.going:
            visit(paths[n % len(paths)], port, host)
            n += 1
            time.sleep(pause)

    def stop(self):
        self.going = False
        self.thread.join()


def control(path, method="GET", body=None, port=7781):
    headers = {"Authorization": "Bearer " + CONTROL, "Content-Type": "application/json"}
    return json.loads(fetch(f"http://127.0.0.1:{port}{path}", headers=headers, method=method, body=body and json.dumps(body).encode())[2])


def service_of_each_part(admin):
    return until("nginx, the proxy and the cluster are seen",
                 lambda: admin.ask("GET", "/api/v1/services/golden-web:8080", lenient=True)
                 and admin.ask("GET", "/api/v1/services/golden-edge:7780", lenient=True)
                 and admin.ask("GET", "/api/v1/clusters/golden", lenient=True))


def people(admin):
    secrets = {"users": {"admin": PASSWORD}, "tokens": {}}
    for name, role in (("vera", "viewer"), ("otto", "operator")):
        once = admin.ask("POST", "/api/v1/users", {"name": name, "role": role})["oneTimePassword"]
        Person().login(name, once).password(once, PASSWORD)
        secrets["users"][name] = PASSWORD
    for name, scopes in (("golden-reader", ["servers:read", "metrics:read"]), ("golden-sender", ["ingest"])):
        made = admin.ask("POST", "/api/v1/tokens", {"name": name, "scopes": scopes, "expiresInDays": 366})
        secrets["tokens"][name] = made["secret"]
    return secrets


def settings_of_people(admin, later):
    hook = admin.ask("POST", "/api/v1/receivers", {"name": "Golden hook", "type": "webhook", "language": "ja",
                                                   "url": "http://127.0.0.1:7600/hook", "secret": "golden-hook-secret-01"})
    admin.ask("POST", "/api/v1/receivers", {"name": "Golden mail", "type": "mail", "enabled": False, "mail": {
        "host": "mail.golden.example", "port": 2525, "security": "none", "from": "komainu@golden.example", "to": ["duty@golden.example"]}})
    admin.ask("POST", "/api/v1/alert-rules", {"name": "Golden rule", "kind": "service", "states": ["stopped/crashed", "saturated/cpu"],
                                              "service": "golden-web:*", "needed": 2, "ofSeconds": 4, "clearSeconds": 2, "repeatHours": 1,
                                              "severity": "critical", "receivers": [hook["id"]], "enabled": True})
    admin.ask("POST", "/api/v1/silences", {"kind": "maintenance", "service": "golden-edge:7780", "states": [], "reason": "golden maintenance",
                                           "endsAt": later})
    ended = admin.ask("POST", "/api/v1/silences", {"kind": "silence", "service": "nowhere*", "states": ["saturated/cpu"], "reason": "golden silence",
                                                   "endsAt": later})
    admin.ask("DELETE", f"/api/v1/silences/{ended['id']}")
    rules = admin.ask("GET", "/api/v1/services/golden-web:8080/thresholds")
    rule = next(rule for rule in rules if rule["conditions"])
    admin.ask("PUT", "/api/v1/services/golden-web:8080/thresholds", {"rule": rule["rule"], "measure": rule["conditions"][0]["measure"],
              "value": 0.97, "reason": "golden threshold"})


def tuning(admin, later):
    diagnosis = admin.ask("POST", "/api/v1/services/golden-web:8080/diagnosis")
    nodes = diagnosis["path"]
    for node in nodes:
        if node and admin.ask("PUT", f"/api/v1/services/golden-web:8080/overrides/{node}", {"verdict": "no", "reason": "golden word",
                                                                                           "until": later}, lenient=True):
            break
    order = admin.ask("POST", "/api/v1/orders", {"service": "golden-web:8080", "setting": "worker_connections", "before": "256", "after": "512",
                                                 "title": "Golden order", "note": "by make-golden", "confirmed": True})
    until("the order is done", lambda: admin.ask("GET", f"/api/v1/orders/{order['id']}")["state"] != "open")
    change = admin.ask("POST", "/api/v1/changes", {"service": "golden-web:8080", "title": "Golden change", "setting": "worker_processes",
                                                   "before": "1", "after": "2", "note": "told by a person"})
    admin.ask("PUT", f"/api/v1/changes/{change['id']}/upgrade", {"cost": 1234.56, "currency": "JPY"})


def ended_verifications(admin):
    items = admin.ask("GET", "/api/v1/verifications")["items"]
    return items and all(item.get("verdict") for item in items)


def fault(admin):
    subprocess.run(["nginx", "-c", f"{DATA}/nginx/nginx.conf", "-s", "stop"], check=True)
    until("crashed", lambda: any(t["to"] == "stopped/crashed" for t in transitions(admin)), 60)
    nginx()
    until("normal again", lambda: transitions(admin)[0]["to"] == "normal", 120)
    until("the alert ended", lambda: admin.ask("GET", "/api/v1/alerts?status=ended")["items"], 90)


def transitions(admin):
    told = admin.ask("GET", "/api/v1/services/golden-web:8080/transitions")
    return told["items"] if isinstance(told, dict) else told


def disk():
    """Objects of all kinds on the disk: served and asked again, with priority, purged by URL, prefix and tag."""
    for name in ("page", "priority", "purged", "tagged", "prefix"):
        for i in range(1, 31):
            visit(f"/{name}/{i}.html", 7780, "golden.example")
    for i in range(1, 31):
        visit(f"/page/{i}.html", 7780, "golden.example")
    time.sleep(3)
    control("/control/v1/purge", "POST", {"url": "http://golden.example/purged/1.html"})
    control("/control/v1/purge", "POST", {"prefix": "golden.example/prefix/"})
    control("/control/v1/purge", "POST", {"tags": ["golden-tag"]})
    until("the disk's queue is empty", lambda: control("/control/v1/stats").get("diskWaitingBytes", 0) == 0)


def pages():
    """A browser's way through a page, often enough to be learnt."""
    for n in range(4):
        headers = {"Referer": f"http://www.golden.example/site/index.html"}
        visit("/site/index.html", 7785, "www.golden.example")
        for name in ("style.css", "script.js", "picture.svg"):
            fetch(f"http://127.0.0.1:7785/site/{name}", host="www.golden.example", headers=headers)
        time.sleep(0.5)


failed = []


def attempt(step):
    """What fails is told at the end, so that one run shows all of it; the exit code is then 1."""
    try:
        step()
    except (Exception, SystemExit) as e:
        failed.append(f"{e!r}")
        print(f"FAILED {e!r}", flush=True)


def main():
    threading.Thread(target=http.server.ThreadingHTTPServer(("127.0.0.1", 7600), Hook).serve_forever, daemon=True).start()
    prepare()
    nginx()
    start("central")
    until("central", lambda: fetch(parts.CENTRAL + "/actuator/health")[0] == 200)
    once = open(f"{DATA}/central/first-password").read().split()[0]
    admin = Person().login("admin", once).password(once, PASSWORD)
    os.makedirs(f"{DATA}/evidence")
    start("organizer", "--config", "organizer.yaml")
    until("the organizer answers", lambda: visit("/site/index.html", 7785, "www.golden.example"))
    start("organizer", "--config", "organizer2.yaml", name="organizer2")
    start("proxy", "--config", "proxy.yaml")
    start("agent", "--config", "agent.yaml")
    visitors = [Visitors(8080, [f"/page/{i}.html" for i in range(1, 31)] + ["/fault/1"]), Visitors(7780, ["/shared/1.html"], "golden.example")]
    service_of_each_part(admin)
    secrets = people(admin)
    later = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=29)).strftime("%Y-%m-%dT%H:%M:%SZ")
    attempt(lambda: settings_of_people(admin, later))
    attempt(disk)
    attempt(pages)
    time.sleep(30)
    attempt(lambda: tuning(admin, later))
    attempt(lambda: stop("organizer2"))
    attempt(lambda: until("verified", lambda: ended_verifications(admin), 100))
    attempt(lambda: fault(admin))
    time.sleep(20)
    for each in visitors:
        each.stop()
    stop("central")
    # Nobody takes reports now: they go to the spools.
    visit("/page/1.html")
    time.sleep(6)
    for name in ("agent", "proxy", "organizer"):
        stop(name)
    keep(secrets)
    if failed:
        raise SystemExit("\n".join(failed))


def keep(secrets):
    for name in ("agent", "proxy", "organizer"):
        found = [place for place, directories, _ in os.walk(f"{DATA}/{name}") if "spool" in directories]
        for place in found:
            os.path.exists(f"{place}/lock") and os.remove(f"{place}/lock")
            pack(f"spool-{name}", f"{place}/spool")
            shutil.copytree(place, f"{DATA}/copy-{name}")
            attempt(lambda name=name: java("Wire", "drain", f"{DATA}/copy-{name}", f"{OUT}/expected/spool-{name}.ndjson"))
    pack("order-journal", f"{DATA}/agent/orders")
    pack("disk", f"{DATA}/disk", ["lock"])
    attempt(served_from_disk)
    shutil.copy(f"{DATA}/organizer/pages", f"{OUT}/pages")
    pack("central", f"{DATA}/central", ["lock"])
    pack("tls", f"{DATA}/tls")
    shutil.copytree(f"{DATA}/conf", f"{OUT}/configuration", dirs_exist_ok=True)
    shutil.copytree(f"{DATA}/tokens", f"{OUT}/configuration/tokens", dirs_exist_ok=True)
    java("Wire", "batches", f"{OUT}/wire")
    shutil.copy("/srv/komainu/monitor/codecs/src/main/resources/dev/komainu/codecs/telemetry.proto", f"{OUT}/wire/wire.proto")
    expect("secrets.json", secrets)
    attempt(lambda: java("Records", f"{DATA}/central/telemetry", f"{OUT}/expected/records.txt"))
    attempt(lambda: java("Tables", f"{DATA}/central", f"{OUT}/expected"))
    # Asked of the build itself, started anew on what it wrote: what is expected is what a restart tells.
    start("central")
    until("central again", lambda: fetch(parts.CENTRAL + "/actuator/health")[0] == 200)
    kept = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S")
    admin = Person().login("admin", PASSWORD)
    told = {path: admin.ask("GET", path, lenient=True) for path in TOLD}
    # This login is not in the data that were kept.
    audit = told[AUDIT]
    audit["items"] = [entry for entry in audit["items"] if entry["at"] < kept]
    expect("central.json", told)
    stop("central")


def served_from_disk():
    """What the build itself serves from its disk after a restart, with no server behind it."""
    shutil.copytree(f"{DATA}/disk", f"{DATA}/copy-disk")
    start("proxy", "--config", "proxy-restarted.yaml", name="proxy-restarted")
    until("the proxy again", lambda: fetch("http://127.0.0.1:7781/health")[0] == 200)
    paths = [f"/{name}/{i}.html" for name in ("page", "priority", "purged", "tagged", "prefix") for i in range(1, 31)]
    hits = [path for path in paths if (visit(path, 7780, "golden.example") or (0, {}, b""))[0] == 200]
    stop("proxy-restarted")
    with open(f"{OUT}/expected/disk.txt", "w") as file:
        file.write("".join(path + "\n" for path in hits))


AUDIT = "/api/v1/audit?limit=200"
TOLD = ["/api/v1/users", "/api/v1/tokens", "/api/v1/changes", "/api/v1/orders", "/api/v1/verifications", "/api/v1/alert-rules",
        "/api/v1/silences?status=all", "/api/v1/receivers", "/api/v1/alerts?status=ended", "/api/v1/diagnoses",
        "/api/v1/services/golden-web:8080/overrides", "/api/v1/services/golden-web:8080/thresholds",
        "/api/v1/services/golden-web:8080/transitions", "/api/v1/clusters/golden/events", AUDIT]


def java(program, *arguments):
    classes = f"{DATA}/classes"
    os.makedirs(f"{OUT}/expected", exist_ok=True)
    subprocess.run(["/srv/jdk/bin/javac", "-proc:none", "-cp", classpath(), "-d", classes, f"/srv/writer/{program}.java"], check=True)
    subprocess.run(["/srv/jdk/bin/java", "-cp", f"{classes}:{classpath()}", program, *arguments], check=True)


if __name__ == "__main__":
    main()
