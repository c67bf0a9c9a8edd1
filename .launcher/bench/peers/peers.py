"""The caching proxies that are compared, each with one core, one cache of the same size in memory, and no access log.

What is needed for that and nothing else is configured; every other setting is the program's own default. Python's own library only.
"""

import os
import re
import shutil
import signal
import subprocess
import time
import urllib.request

TICK = os.sysconf("SC_CLK_TCK")
CACHE_MB = 256


def free_port(base, taken=[]):
    import socket

    for port in range(base, base + 500):
        if port in taken:
            continue
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        taken.append(port)
        return port
    raise SystemExit("ports: none free from %d on (expected: 500 ports nobody uses)" % base)


def family(root):
    """A process and everything below it."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open("/proc/%s/stat" % name) as stat:
                    parents.setdefault(int(stat.read().rpartition(")")[2].split()[1]), []).append(int(name))
            except OSError:
                pass
    found, at = [root], 0
    while at < len(found):
        found += parents.get(found[at], [])
        at += 1
    return found


def cpu_seconds(pids):
    """User and system time of these processes, including ended threads: (user, system)."""
    user = system = 0
    for pid in pids:
        try:
            with open("/proc/%d/stat" % pid) as stat:
                fields = stat.read().rpartition(")")[2].split()
            user += int(fields[11])
            system += int(fields[12])
        except OSError:
            pass
    return user / TICK, system / TICK


def pss_mb(pids):
    """Memory in use, shared pages counted once."""
    total = 0
    for pid in pids:
        try:
            with open("/proc/%d/smaps_rollup" % pid) as rollup:
                total += sum(int(line.split()[1]) for line in rollup if line.startswith("Pss:"))
        except OSError:
            pass
    return total / 1024


def rss_mb(pids):
    """Resident memory, shared pages counted for each process."""
    total = 0
    for pid in pids:
        try:
            with open("/proc/%d/statm" % pid) as statm:
                total += int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            pass
    return total / 1048576


def ending(who, code, words):
    """How a program ended, in words: its exit code or signal, and its last lines."""
    how = "by signal %d (%s)" % (-code, signal.Signals(-code).name) if code < 0 else "with %d" % code
    return "%s ended %s%s" % (who, how, " (its words: %s)" % words.strip()[-300:] if words.strip() else " without a word")


def files_mb(directory):
    """Bytes in files of a memory file system, where nginx keeps its cache."""
    blocks = 0
    for where, _, names in os.walk(directory):
        for name in names:
            try:
                blocks += os.stat(os.path.join(where, name)).st_blocks
            except OSError:
                pass
    return blocks / 2048


def compiled_caller(directory):
    """Compiles the client; returns its path."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "caller")
    caller = os.path.join(directory, "caller")
    files = sorted(os.path.join(source, name) for name in os.listdir(source) if name.endswith(".c"))
    subprocess.run(["cc", "-O2", "-o", caller, *files, "-lm", "-lssl", "-lcrypto", "-lnghttp2"], check=True)
    return caller


def certificate(directory):
    """A certificate (P-256) and its key: files that every server's user can read, and both in one for HAProxy."""
    chain, key, both = (os.path.join(directory, name) for name in ("chain.pem", "key.pem", "both.pem"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30",
        "-subj", "/CN=bench.example", "-addext", "subjectAltName=DNS:bench.example,IP:127.0.0.1", "-keyout", key, "-out", chain],
        check=True, capture_output=True)
    with open(both, "w") as out:
        for name in (chain, key):
            with open(name) as part:
                out.write(part.read())
    for name in (chain, key, both):
        os.chmod(name, 0o644)


def program(name):
    return shutil.which(name) or (os.path.exists("/usr/sbin/" + name) and "/usr/sbin/" + name) or None


def started(command, core, log, environment=None, boost=True):
    """A process of a session of its own on one core (None: on all), before others (the same for each server, caller and origin)."""

    def prepare():
        os.setsid()
        if core is not None:
            os.sched_setaffinity(0, {core})
        if boost:
            try:
                os.nice(-10)
                with open("/proc/self/autogroup", "w") as group:
                    group.write("-10")
            except OSError:
                pass

    with open(log, "ab") as out:
        return subprocess.Popen(command, stdout=out, stderr=out, stdin=subprocess.DEVNULL, preexec_fn=prepare, env=environment)


class Peer:
    """One server: how it is started, which processes are its own, how it is stopped."""

    name = ""
    needs = ""
    stores = True
    # Whether clients can use TLS 1.3 and HTTP/2.
    tls = False

    def __init__(self, work, origin_port, cache_mb=CACHE_MB):
        self.keys = work
        self.work = os.path.join(work, self.name)
        self.cache_mb = cache_mb
        self.origin = origin_port
        self.port = free_port(27100)
        self.tls_port = free_port(27100)
        self.process = None
        os.makedirs(self.work, exist_ok=True)
        os.chmod(self.work, 0o777)

    @classmethod
    def there(cls):
        return program(cls.needs) is not None

    def write(self, name, text):
        path = os.path.join(self.work, name)
        with open(path, "w") as out:
            out.write(text)
        return path

    def command(self):
        raise NotImplementedError

    def environment(self):
        return None

    def start(self, core=1):
        self.clear()
        self.process = started(self.command(), core, os.path.join(self.work, "log"), self.environment())
        deadline = time.monotonic() + 40
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            if self.answers():
                return self
            time.sleep(0.05)
        with open(os.path.join(self.work, "log"), errors="replace") as log:
            raise SystemExit("%s: does not serve (its words: %s)" % (self.name, log.read()[-800:].strip()))

    def ended(self):
        """Empty while the server runs; otherwise how it ended."""
        code = self.process.poll()
        if code is None:
            return ""
        with open(os.path.join(self.work, "log"), errors="replace") as log:
            return "; " + ending(self.name, code, log.read())

    def clear(self):
        pass

    def answers(self):
        try:
            request = urllib.request.Request("http://127.0.0.1:%d/ready" % self.port)
            with urllib.request.urlopen(request, timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def pids(self):
        return family(self.process.pid)

    def cpu(self):
        return cpu_seconds(self.pids())

    def memory(self):
        return pss_mb(self.pids())

    def heap_mb(self):
        """The part of the memory that garbage may occupy, and how much of it is in use: (resident, in use). For programs in C there is none."""
        return 0.0, 0.0

    def stop(self):
        if self.process is None:
            return
        pids = self.pids()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            pass
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        self.process.wait()
        self.process = None


class Komainu(Peer):
    name = "komainu"
    tls = True
    java = []  # the launcher's own command, without arguments
    more = ""  # further settings

    @classmethod
    def there(cls):
        return bool(cls.java)

    def command(self):
        return self.java + ["--origin", "http://127.0.0.1:%d" % self.origin, "--listen", "127.0.0.1:%d" % self.port,
            "--control", "none", "--workers", "1", "--memory", "%dMB" % self.cache_mb, "--config", self.settings()]

    def settings(self):
        # No connection may be refused: all come from one address.
        return self.write("komainu.yaml", self.more + "connections:\n  max-per-client: 20000\n" + (
            f"tls:\n  listen: 127.0.0.1:{self.tls_port}\n  certificates:\n    - certificate: {self.keys}/chain.pem\n      key: {self.keys}/key.pem\n"
            if os.path.exists(self.keys + "/key.pem") else ""))

    def told(self, order):
        """What the JVM answers to jcmd."""
        jcmd = os.path.join(os.path.dirname(self.java[0]), "jcmd")
        run = subprocess.run([jcmd, str(self.process.pid), order], capture_output=True, text=True)
        if run.returncode:
            raise SystemExit("%s: %s%s" % (self.name, ending("jcmd " + order, run.returncode, run.stdout + run.stderr), self.ended()))
        return run.stdout

    def heap_mb(self):
        pid = self.process.pid
        # Objects with finalizers, such as those of TLS engines, are gone only after the next collection.
        for _ in range(3):
            self.told("GC.run")
            time.sleep(0.3)
        told = self.told("GC.heap_info")
        # DefNew total 7424K, used 1190K [0x00000000fd400000, 0x00000000fdc00000, 0x00000000fe2a0000)
        generations = re.findall(r"total \d+K, used (\d+)K \[0x([0-9a-f]+), 0x[0-9a-f]+, 0x([0-9a-f]+)\)", told)
        if not generations:
            raise SystemExit("%s: no generations in GC.heap_info (expected: those of the serial collector): %s" % (self.name, told[:300]))
        resident = within = 0
        with open("/proc/%d/smaps" % pid) as maps:
            for line in maps:
                at = re.match("([0-9a-f]+)-[0-9a-f]+ ", line)
                if at:
                    within = any(int(low, 16) <= int(at[1], 16) < int(high, 16) for _, low, high in generations)
                elif within and line.startswith("Pss:"):
                    resident += int(line.split()[1])
        return resident / 1024, sum(int(used) for used, _, _ in generations) / 1024

    def version(self):
        return "Komainu"


class Baseline(Komainu):
    """Another build of ours, for a comparison: KOMAINU_BASELINE is its java command."""

    name = "baseline"
    java = []


class Old(Komainu):
    """The proxy of another checkout: KOMAINU_OLD is its java command."""

    name = "old"
    java = []


class Again(Old):
    """The same a second time: the difference between the two is noise."""

    name = "again"


class Nginx(Peer):
    name = needs = "nginx"
    tls = True

    def clear(self):
        shutil.rmtree(self.cache(), ignore_errors=True)

    def cache(self):
        return "/dev/shm/komainu-bench-%d" % os.getpid()

    def command(self):
        os.makedirs(self.cache(), exist_ok=True)
        os.chmod(self.cache(), 0o777)
        secure = ""
        if os.path.exists(self.keys + "/key.pem"):
            secure = f"listen 127.0.0.1:{self.tls_port} ssl http2 backlog=4096; ssl_certificate {self.keys}/chain.pem; ssl_certificate_key {self.keys}/key.pem; ssl_protocols TLSv1.2 TLSv1.3;"
        config = self.write("nginx.conf", f"""
worker_processes 1; daemon off; pid {self.work}/pid; error_log {self.work}/error.log; worker_rlimit_nofile 16384;
events {{ worker_connections 8192; }}
http {{
  access_log off; keepalive_requests 1000000000; sendfile on; tcp_nopush on;
  proxy_temp_path {self.work}/t1; client_body_temp_path {self.work}/t2; fastcgi_temp_path {self.work}/t3;
  uwsgi_temp_path {self.work}/t4; scgi_temp_path {self.work}/t5;
  proxy_cache_path {self.cache()} levels=1:2 keys_zone=z:64m max_size={self.cache_mb}m use_temp_path=off;
  open_file_cache max=20000; open_file_cache_valid 600s;
  upstream o {{ server 127.0.0.1:{self.origin}; keepalive 256; keepalive_requests 1000000000; }}
  server {{
    listen 127.0.0.1:{self.port} backlog=4096; {secure}
    proxy_http_version 1.1; proxy_set_header Connection "";
    location / {{ proxy_pass http://o; proxy_cache z; proxy_cache_lock on; }}
    location /pass/ {{ proxy_pass http://o; }}
  }}
}}
""")
        return [program("nginx"), "-c", config, "-e", self.work + "/error.log"]

    def memory(self):
        return super().memory() + files_mb(self.cache())

    def stop(self):
        super().stop()
        self.clear()


class Haproxy(Peer):
    name = needs = "haproxy"
    tls = True

    def command(self):
        secure = f"bind 127.0.0.1:{self.tls_port} backlog 4096 ssl crt {self.keys}/both.pem alpn h2,http/1.1" if os.path.exists(self.keys + "/both.pem") else ""
        config = self.write("haproxy.cfg", f"""
global
  nbthread 1
  maxconn 8192
defaults
  mode http
  timeout client 60s
  timeout server 60s
  timeout connect 5s
  http-reuse always
cache c
  total-max-size {self.cache_mb}
  max-object-size 1000000
  max-age 3600
frontend f
  bind 127.0.0.1:{self.port} backlog 4096
  {secure}
  acl pass path_beg /pass/
  use_backend p if pass
  default_backend b
backend b
  http-request cache-use c
  http-response cache-store c
  server o 127.0.0.1:{self.origin}
backend p
  server o 127.0.0.1:{self.origin}
""")
        return [program("haproxy"), "-db", "-f", config]


class Varnish(Peer):
    name, needs = "varnish", "varnishd"

    def clear(self):
        shutil.rmtree(self.work + "/n", ignore_errors=True)

    def command(self):
        config = self.write("varnish.vcl", f"""
vcl 4.1;
backend default {{ .host = "127.0.0.1"; .port = "{self.origin}"; }}
sub vcl_recv {{
  if (req.url ~ "^/pass/") {{ return (pass); }}
}}
""")
        return [program("varnishd"), "-F", "-f", config, "-n", self.work + "/n", "-a", "127.0.0.1:%d" % self.port,
            "-s", "malloc,%dm" % self.cache_mb, "-p", "thread_pools=1", "-p", "listen_depth=4096"]


class Squid(Peer):
    name = needs = "squid"

    def command(self):
        config = self.write("squid.conf", f"""
http_port 127.0.0.1:{self.port} accel defaultsite=127.0.0.1 no-vhost
cache_peer 127.0.0.1 parent {self.origin} 0 no-query originserver name=o
acl pass urlpath_regex ^/pass/
cache deny pass
http_access allow all
cache_mem {self.cache_mb} MB
memory_cache_shared off
maximum_object_size_in_memory 1 MB
access_log none
cache_store_log none
cache_log {self.work}/cache.log
pid_filename none
coredump_dir {self.work}
shutdown_lifetime 0 seconds
pinger_enable off
""")
        return [program("squid"), "-N", "-n", self.service(), "-f", config]

    def service(self):
        return "komainubench%d" % os.getpid()

    def stop(self):
        super().stop()
        # Its shared memory remains when it is killed.
        for name in os.listdir("/dev/shm"):
            if name.startswith(self.service()):
                os.unlink("/dev/shm/" + name)


class TrafficServer(Peer):
    name, needs = "trafficserver", "traffic_server"
    tls = True

    def command(self):
        base = self.work + "/root"
        for part in ("etc", "var", "log", "cache"):
            os.makedirs(f"{base}/{part}", exist_ok=True)
            os.chmod(f"{base}/{part}", 0o777)
        os.chmod(base, 0o777)
        for name in os.listdir("/etc/trafficserver"):
            if os.path.isfile("/etc/trafficserver/" + name):
                shutil.copy("/etc/trafficserver/" + name, base + "/etc")
        for name in ("body_factory",):
            if os.path.isdir("/etc/trafficserver/" + name):
                shutil.copytree("/etc/trafficserver/" + name, f"{base}/etc/{name}", dirs_exist_ok=True)
        self.write("root/runroot.yaml", f"""prefix: {base}
exec_prefix: {base}
bindir: /usr/bin
sbindir: /usr/sbin
sysconfdir: {base}/etc
datadir: /usr/share/trafficserver
includedir: /usr/include
libdir: /usr/lib/trafficserver
libexecdir: /usr/lib/trafficserver/modules
localstatedir: {base}/var
runtimedir: {base}/var
logdir: {base}/log
cachedir: {base}/cache
""")
        secure = os.path.exists(self.keys + "/key.pem")
        if secure:
            self.write("root/etc/ssl_multicert.config", f"dest_ip=* ssl_cert_name={self.keys}/chain.pem ssl_key_name={self.keys}/key.pem\n")
        self.write("root/etc/records.config", f"""
CONFIG proxy.config.http.server_ports STRING {self.port}:ip-in=127.0.0.1{f" {self.tls_port}:ip-in=127.0.0.1:ssl" if secure else ""}
CONFIG proxy.config.exec_thread.autoconfig INT 0
CONFIG proxy.config.exec_thread.limit INT 1
CONFIG proxy.config.accept_threads INT 0
CONFIG proxy.config.task_threads INT 1
CONFIG proxy.config.log.logging_enabled INT 0
CONFIG proxy.config.admin.user_id STRING #-1
CONFIG proxy.config.cache.ram_cache.size INT {self.cache_mb << 20}
CONFIG proxy.config.cache.ram_cache_cutoff INT 4194304
CONFIG proxy.config.url_remap.remap_required INT 1
CONFIG proxy.config.http.cache.required_headers INT 0
CONFIG proxy.config.net.listen_backlog INT 4096
CONFIG proxy.config.net.max_connections_in INT 8192
CONFIG proxy.config.http.keep_alive_no_activity_timeout_in INT 60
CONFIG proxy.config.diags.output.status STRING L
CONFIG proxy.config.http.server_session_sharing.match STRING both
""")
        self.write("root/etc/remap.config", f"map http://127.0.0.1:{self.port}/ http://127.0.0.1:{self.origin}/\nmap https://127.0.0.1:{self.tls_port}/ http://127.0.0.1:{self.origin}/\n")
        self.write("root/etc/cache.config", "url_regex=.*/pass/.* action=never-cache\n")
        self.write("root/etc/storage.config", f"{base}/cache {max(self.cache_mb, 256)}M\n")
        self.write("root/etc/plugin.config", "")
        return [program("traffic_server"), "--run-root=" + base + "/runroot.yaml"]


class Origin(Peer):
    """nginx with the objects, on the caller's core; counts its requests."""

    name = "origin"

    def __init__(self, work):
        super().__init__(work, 0)
        os.makedirs(self.work + "/www", exist_ok=True)
        os.chmod(self.work + "/www", 0o755)
        noise = os.urandom(102400).hex()
        for name, size in (("1k", 1024), ("10k", 10240), ("100k", 102400), ("ready", 2)):
            with open(f"{self.work}/www/{name}", "w") as out:
                out.write(noise[:size])
        self.status = free_port(27050)

    def command(self):
        config = self.write("origin.conf", f"""
worker_processes 1; daemon off; pid {self.work}/pid; error_log {self.work}/error.log; worker_rlimit_nofile 16384;
events {{ worker_connections 8192; }}
http {{
  access_log off; keepalive_requests 1000000000; tcp_nodelay on; default_type text/plain;
  client_body_temp_path {self.work}/t1; proxy_temp_path {self.work}/t2; fastcgi_temp_path {self.work}/t3;
  uwsgi_temp_path {self.work}/t4; scgi_temp_path {self.work}/t5;
  open_file_cache max=100; open_file_cache_valid 600s;
  server {{
    listen 127.0.0.1:{self.port} backlog=4096; root {self.work}/www;
    add_header Cache-Control "max-age=3600";
    location /many/ {{ try_files /10k =404; }}
    location /one/ {{ try_files /1k =404; }}
    location = /pass/1k {{ add_header Cache-Control "no-store"; try_files /1k =404; }}
    location = /pass/10k {{ add_header Cache-Control "no-store"; try_files /10k =404; }}
  }}
  server {{ listen 127.0.0.1:{self.status}; location / {{ stub_status; }} }}
}}
""")
        return [program("nginx"), "-c", config, "-e", self.work + "/error.log"]

    def asked(self):
        """Requests until now, without this one."""
        with urllib.request.urlopen("http://127.0.0.1:%d/" % self.status, timeout=20) as answer:
            text = answer.read().decode()
        self.questions = getattr(self, "questions", 0) + 1
        return int(text.split("\n")[2].split()[2]) - self.questions


OF_OURS = [Old, Again, Komainu, Baseline]
ALL = [*OF_OURS, Nginx, Haproxy, Varnish, Squid, TrafficServer]
