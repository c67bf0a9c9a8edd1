"""The servers of the drills, as Debian packages them, each with a configuration written for its drill.

What holds a worker here waits instead of computing (mod_lua's usleep, a servlet that sleeps, an origin that thinks), so that a
shortage of workers is real while the CPU has time to spare.
"""

import os
import shutil
import signal
import time

from applications import LUA, SERVLET
from stage import Missing, parent, run, session

MODULES = "/usr/lib/apache2/modules"
TOMCAT = "/usr/share/tomcat10"

class Server:
    """One server of one drill. needs: what must be installed (names of the launcher's package_of)."""

    kind, needs = "", ()
    ns = None

    def __init__(self, stage, name, address="0.0.0.0", files=None, groups=(), tls=None, h2=False, port=None):
        """tls: (certificate, key); h2: HTTP/2 is offered over TLS. supervisor: seconds after which a supervisor starts it again."""
        self.stage, self.name, self.address, self.files, self.groups, self.tls, self.h2 = stage, name, address, files, groups, tls, h2
        self.port, self.supervisor = port or stage.port(), None
        self.dir = os.path.join(stage.work, name)
        os.makedirs(self.dir + "/www", exist_ok=True)
        os.chmod(self.dir, 0o777)
        self.process = None

    def write(self, name, text):
        path = os.path.join(self.dir, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as out:
            out.write(text)
        return path

    def pages(self, count, size):
        """/page/1.html to /page/COUNT.html"""
        os.makedirs(self.dir + "/www/page", exist_ok=True)
        for n in range(1, count + 1):
            with open("%s/www/page/%d.html" % (self.dir, n), "wb") as page:
                page.write(os.urandom(4096) * (size // 4096) if size >= 65536 else b"komainu " * (size // 8))

    def break_application(self, broken=True):
        """/app responds with 500 while this file exists."""
        if broken:
            self.write("broken", "")
        else:
            os.remove(os.path.join(self.dir, "broken"))

    def command(self):
        """Writes the configuration and returns the command line."""
        raise NotImplementedError

    reload_signal = signal.SIGHUP

    def reload(self, **changes):
        """Other settings, applied by the server's own reload."""
        for name, value in changes.items():
            setattr(self, name, value)
        self.command()
        self.process.send_signal(self.reload_signal)

    def environment(self):
        return None

    def start(self):
        command = self.command()
        if self.supervisor is not None:
            # In a process group of its own (set -m): Apache ends its whole group, which would include the supervisor.
            command = ["bash", "-c", 'set -m; while :; do "$@"; sleep %g; done' % self.supervisor, "supervisor", *command]
        self.process = self.stage.start(self.name, command, ns=self.ns, env=self.environment(), groups=self.groups, files=self.files)

    def await_listening(self, patience=40):
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                break
            if self.listening():
                return self
            time.sleep(0.1)
        raise Missing("%s: does not listen on %d (its output: %s)" % (self.name, self.port, self.stage.words(self.name)))

    def listening(self):
        """Reads the kernel's table, because the agent would see a test connection."""
        table = "/proc/%s/net/" % self.process.pid
        for name in ("tcp", "tcp6"):
            try:
                with open(table + name) as rows:
                    if any(row.split()[3] == "0A" and row.split()[1].endswith(":%04X" % self.port) for row in list(rows)[1:]):
                        return True
            except (OSError, IndexError):
                pass
        return False

    def processes(self):
        """Process ids of the server, its first process first, without a supervisor."""
        found = [pid for pid in session(self.process.pid) if self.supervisor is None or pid != self.process.pid]
        # Process ids wrap around: a worker's may be lower than its parent's.
        return sorted(found, key=lambda pid: ((pid if self.supervisor is None else parent(pid)) != self.process.pid, pid))

    def stop(self):
        self.stage.end(self.process)

    def kill(self):
        self.stage.kill(self.process)
        with self.stage.lock:
            if self.process in self.stage.running:
                self.stage.running.remove(self.process)


class Apache(Server):
    kind, needs = "apache", ("apache2",)
    reload_signal = signal.SIGUSR1  # graceful

    def __init__(self, stage, name, mpm="prefork", workers=150, spares=None, backlog=511, more="", backend=None, log=False, **rest):
        """backend: an origin that requests of /call are passed to. log: it writes an access log."""
        super().__init__(stage, name, **rest)
        self.mpm, self.workers, self.spares, self.backlog, self.more, self.backend, self.log = mpm, workers, spares, backlog, more, backend, log
        self.root = self.dir + "/www"

    def command(self):
        self.write("app.lua", LUA)
        os.makedirs(self.dir + "/logs", exist_ok=True)
        if self.mpm == "prefork":
            start, least, most = self.spares or (self.workers,) * 3
            # As in the distributions: the limit of processes is above the maximum.
            crew = "StartServers %d\nMinSpareServers %d\nMaxSpareServers %d\nServerLimit %d\nMaxRequestWorkers %d" % (
                start, least, most, max(256, self.workers), self.workers)
        else:
            crew = "StartServers 1\nServerLimit 16\nThreadLimit %d\nThreadsPerChild %d\nMinSpareThreads 1\nMaxSpareThreads %d\nMaxRequestWorkers %d" % (
                (self.workers,) * 4)
        modules = more = ""
        if self.tls:
            modules += f"LoadModule ssl_module {MODULES}/mod_ssl.so\n"
            more += "SSLEngine on\nSSLCertificateFile %s\nSSLCertificateKeyFile %s\n" % self.tls
        if self.h2:
            modules += f"LoadModule http2_module {MODULES}/mod_http2.so\n"
            more += "Protocols h2 http/1.1\n"
        if self.log:
            more += 'CustomLog %s/logs/access.log "%%h %%l %%u %%t \\"%%r\\" %%>s %%b"\n' % self.dir
        if self.backend:
            modules += f"LoadModule proxy_module {MODULES}/mod_proxy.so\nLoadModule proxy_http_module {MODULES}/mod_proxy_http.so\n"
            more += "ProxyPass /call http://%s/ retry=0\n" % self.backend.at
        config = self.write("apache.conf", f"""
ServerName drill
Listen {self.address}:{self.port}
ListenBacklog {self.backlog}
LoadModule mpm_{self.mpm}_module {MODULES}/mod_mpm_{self.mpm}.so
LoadModule authz_core_module {MODULES}/mod_authz_core.so
LoadModule lua_module {MODULES}/mod_lua.so
{modules}User www-data
Group www-data
PidFile {self.dir}/logs/pid
Mutex file:{self.dir}/logs
ErrorLog {self.dir}/logs/error.log
DocumentRoot {self.root}
<Directory {self.root}>
  Require all granted
</Directory>
KeepAlive Off
LuaScope thread
LuaMapHandler ^/app {self.dir}/app.lua handle
{crew}
{more}{self.more}
""")
        return ["/usr/sbin/apache2", "-d", self.dir, "-f", config, "-D", "FOREGROUND"]


class Nginx(Server):
    kind, needs = "nginx", ("nginx",)

    def __init__(self, stage, name, connections=4096, backlog=511, http="", location="", files=None, workers=1, listen="", log=False, **rest):
        """listen: further parameters of the listen directive. log: it writes an access log."""
        super().__init__(stage, name, **rest)
        self.connections, self.backlog, self.http, self.location, self.limit, self.workers = connections, backlog, http, location, files, workers
        self.listen, self.root, self.log = listen, self.dir + "/www", self.dir + "/access.log" if log else "off"

    def command(self):
        d = self.dir
        limit = "worker_rlimit_nofile %d;" % self.limit if self.limit else ""
        tls = "ssl_certificate %s; ssl_certificate_key %s;" % self.tls if self.tls else ""
        config = self.write("nginx.conf", f"""
worker_processes {self.workers}; daemon off; user www-data; pid {d}/pid; error_log {d}/error.log; {limit}
events {{ worker_connections {self.connections}; }}
http {{
  access_log {self.log}; keepalive_timeout 30s; sendfile on; default_type text/html;
  client_body_temp_path {d}/t1; proxy_temp_path {d}/t2; fastcgi_temp_path {d}/t3; uwsgi_temp_path {d}/t4; scgi_temp_path {d}/t5;
  {self.http}
  server {{ listen {self.address}:{self.port} backlog={self.backlog}{' ssl' if self.tls else ''}{' http2' if self.h2 else ''} {self.listen}; {tls} root {self.root}; location / {{ {self.location} }} }}
}}
""")
        return ["/usr/sbin/nginx", "-p", d, "-c", config, "-e", d + "/error.log"]

    def workers_running(self):
        """Process ids of its workers."""
        return [pid for pid in session(self.process.pid) if pid != self.process.pid]

    @staticmethod
    def before(origin, keep=True):
        """A location that passes requests to an origin."""
        return "proxy_pass http://%s; proxy_http_version 1.1; proxy_set_header Connection '';" % origin.at


class Tomcat(Server):
    kind, needs = "tomcat", ("tomcat",)
    jdk = ""

    def __init__(self, stage, name, threads=200, connections=8192, accept=100, heap=64, backend=None, timeout=30, slow_start=0, log=False, **rest):
        """heap: megabytes. backend: an origin that /app?call=1 requests. slow_start: milliseconds of its application's start."""
        super().__init__(stage, name, **rest)
        self.threads, self.connections, self.accept, self.heap = threads, connections, accept, heap
        self.backend, self.timeout, self.slow_start, self.log = backend, timeout, slow_start, log

    def command(self):
        for part in ("conf", "temp", "work", "webapps/ROOT/WEB-INF/classes"):
            os.makedirs("%s/%s" % (self.dir, part), exist_ok=True)
        source = self.write("Waiting.java", SERVLET)
        run(self.jdk + "/bin/javac", "--release", "17", "-cp", "/usr/share/java/tomcat10-servlet-api.jar", "-d", self.dir + "/webapps/ROOT/WEB-INF/classes", source)
        self.write("webapps/ROOT/WEB-INF/web.xml", """<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0" metadata-complete="true">
  <servlet><servlet-name>app</servlet-name><servlet-class>Waiting</servlet-class><load-on-startup>1</load-on-startup></servlet>
  <servlet-mapping><servlet-name>app</servlet-name><url-pattern>/app</url-pattern></servlet-mapping></web-app>""")
        self.write("conf/web.xml", "<web-app/>")
        self.write("conf/catalina.properties", 'common.loader="${catalina.home}/lib","${catalina.home}/lib/*.jar"\ntomcat.util.scan.StandardJarScanFilter.jarsToSkip=*\n')
        secure = secured = log = ""
        if self.log:
            log = '<Valve className="org.apache.catalina.valves.AccessLogValve" directory="%s/logs" pattern="common" buffered="false"/>' % self.dir
        if self.tls:
            secure = 'SSLEnabled="true" scheme="https" secure="true"'
            secured = '<SSLHostConfig><Certificate certificateFile="%s" certificateKeyFile="%s" type="EC"/></SSLHostConfig>' % self.tls
        if self.h2:
            secured = '<UpgradeProtocol className="org.apache.coyote.http2.Http2Protocol"/>' + secured
        if self.slow_start:
            secure += ' bindOnInit="false"'  # it does not listen before its application has started
        self.write("conf/server.xml", f"""<Server port="-1"><Service name="Catalina">
  <Connector port="{self.port}" address="{self.address}" maxThreads="{self.threads}" minSpareThreads="2" maxConnections="{self.connections}"
    acceptCount="{self.accept}" maxKeepAliveRequests="1" {secure}>{secured}</Connector>
  <Engine name="Catalina" defaultHost="localhost"><Host name="localhost" appBase="webapps" autoDeploy="false">{log}</Host></Engine>
</Service></Server>""")
        return [self.jdk + "/bin/java", "-Xmx%dm" % self.heap, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dcatalina.home=" + TOMCAT,
            "-Dcatalina.base=" + self.dir, "-Djava.io.tmpdir=%s/temp" % self.dir, "-Ddrill.start=%d" % self.slow_start, "-Ddrill.timeout=%d" % (self.timeout * 1000),
            "-Ddrill.backend=" + (self.backend.at if self.backend else ""), "-cp",
            "%s/bin/bootstrap.jar:%s/bin/tomcat-juli.jar" % (TOMCAT, TOMCAT), "org.apache.catalina.startup.Bootstrap", "start"]


class Squid(Server):
    kind, needs = "squid", ("squid",)

    def __init__(self, stage, name, origin, descriptors=1024, **rest):
        super().__init__(stage, name, **rest)
        self.origin, self.descriptors = origin, descriptors

    def command(self):
        door = "https_port" if self.tls else "http_port"
        secure = "tls-cert=%s tls-key=%s" % self.tls if self.tls else ""
        config = self.write("squid.conf", f"""
{door} {self.address}:{self.port} accel defaultsite=drill no-vhost {secure}
cache_peer {self.origin.host} parent {self.origin.port} 0 no-query no-digest originserver name=o connect-fail-limit=10000
http_access allow all
cache deny all
cache_mem 8 MB
max_filedescriptors {self.descriptors}
access_log stdio:{self.dir}/access.log squid
cache_store_log none
cache_log {self.dir}/cache.log
pid_filename {self.dir}/pid
coredump_dir {self.dir}
pinger_enable off
shutdown_lifetime 0 seconds
visible_hostname drill
""")
        return ["/usr/sbin/squid", "-N", "-f", config]


class Haproxy(Server):
    kind, needs = "haproxy", ("haproxy",)

    reload_signal = signal.SIGUSR2

    def __init__(self, stage, name, origin, connections=2000, rules=None, timeout=30, **rest):
        """rules: further lines of the frontend; with them it runs with a master process, because only that can reload."""
        super().__init__(stage, name, **rest)
        self.origin, self.connections, self.rules, self.timeout = origin, connections, rules, timeout

    def command(self):
        secure = ""
        if self.tls:
            with open(self.tls[0]) as certificate, open(self.tls[1]) as key:
                secure = "ssl crt " + self.write("both.pem", certificate.read() + key.read()) + (" alpn h2,http/1.1" if self.h2 else "")
        config = self.write("haproxy.cfg", f"""
global
  nbthread 1
  maxconn {self.connections}
defaults
  mode http
  timeout client {self.timeout}s
  timeout server {self.timeout}s
  timeout connect 3s
frontend f
  bind {self.address}:{self.port} {secure}
  {self.rules or ""}
  default_backend b
backend b
  server o {self.origin.at}
""")
        return ["/usr/sbin/haproxy", "-db", "-f", config] if self.rules is None else ["/usr/sbin/haproxy", "-W", "-db", "-f", config]


class Varnish(Server):
    kind, needs = "varnish", ("varnishd", "cc")

    def __init__(self, stage, name, origin, threads=(10, 500), storage="malloc,16m", cached=False, **rest):
        super().__init__(stage, name, **rest)
        self.origin, self.threads, self.storage, self.cached = origin, threads, storage, cached

    def command(self):
        shutil.rmtree(self.dir + "/n", ignore_errors=True)
        config = self.write("main.vcl", """vcl 4.1;
backend default { .host = "%s"; .port = "%d"; }
sub vcl_recv { return (%s); }
""" % (self.origin.host, self.origin.port, "hash" if self.cached else "pass"))
        return ["/usr/sbin/varnishd", "-F", "-j", "none", "-f", config, "-n", self.dir + "/n", "-a", "http=%s:%d" % (self.address, self.port),
            "-s", self.storage, "-p", "thread_pools=1", "-p", "thread_pool_min=%d" % self.threads[0], "-p", "thread_pool_max=%d" % self.threads[1]]


class Komainu(Server):
    kind, needs = "komainu", ()
    java, central, token = [], "", ""

    def __init__(self, stage, name, origin, **rest):
        super().__init__(stage, name, **rest)
        self.origin = origin

    def command(self):
        door = "%s:%d" % (self.address, self.port)
        if self.tls:
            config = self.write("proxy.yaml", "listen: none\ntls:\n  listen: %s\n  certificates:\n    - certificate: %s\n      key: %s\n" % (door, *self.tls))
        return self.java + (["--config", config] if self.tls else ["--listen", door]) + ["--origin", "http://" + self.origin.at,
            "--control", "none", "--memory", "8MB", "--central", self.central, "--token-file", self.token, "--data", self.dir + "/data"]


class Origin(Server):
    """The server behind a proxy; not monitored itself."""

    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "origin.py")

    def __init__(self, stage, name, think=20, slow=2_000, size=2_048, host="127.0.0.1", ns=None):
        """host and ns: its address and its namespace, where it runs on another host."""
        super().__init__(stage, name)
        self.think, self.slow, self.size, self.host, self.ns = think, slow, size, host, ns

    @property
    def at(self):
        return "%s:%d" % (self.host, self.port)

    def command(self):
        return ["python3", "-B", self.program, "--host", self.host, "--port", self.port, "--think", self.think, "--slow", self.slow, "--size", self.size]


class NameServer(Server):
    """Has one address for every name until a signal removes it."""

    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "names.py")

    def command(self):
        return ["python3", "-B", self.program, self.port]

    def listening(self):
        with open("/proc/%s/net/udp" % self.process.pid) as rows:
            return any(row.split()[1].endswith(":%04X" % self.port) for row in list(rows)[1:])
