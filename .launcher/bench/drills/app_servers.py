"""Application servers of the drills: gunicorn, uWSGI, and php-fpm behind nginx."""

import glob

from applications import PHP, WSGI
from servers import Nginx, Server
from stage import Missing, session


class Application(Server):
    """A server of the WSGI application. workers: processes; threads: of each."""

    def __init__(self, stage, name, workers=8, threads=1, backlog=1024, timeout=120, backend=None, **rest):
        super().__init__(stage, name, **rest)
        self.workers, self.threads, self.backlog, self.timeout, self.backend = workers, threads, backlog, timeout, backend

    def environment(self):
        return {"DRILL_BACKEND": self.backend.at if self.backend else "", "DRILL_TIMEOUT": str(self.timeout), "PYTHONDONTWRITEBYTECODE": "1"}


class Gunicorn(Application):
    kind, needs = "gunicorn", ("gunicorn",)

    def command(self):
        self.write("application.py", WSGI)
        secure = ["--certfile", self.tls[0], "--keyfile", self.tls[1]] if self.tls else []
        return ["/usr/bin/gunicorn", "--bind", "%s:%d" % (self.address, self.port), "--workers", self.workers, "--threads", self.threads,
            "--worker-class", "gthread" if self.threads > 1 else "sync", "--backlog", self.backlog, "--timeout", self.timeout, "--chdir", self.dir,
            "--worker-tmp-dir", self.dir, "--user", "www-data", "--log-level", "warning", "--access-logfile", self.dir + "/access.log", *secure, "application:application"]


class Uwsgi(Application):
    kind, needs = "uwsgi", ("uwsgi",)

    def command(self):
        door = "%s:%d" % (self.address, self.port)
        return ["/usr/bin/uwsgi-core", "--plugin", "python3", *(["--https-socket", "%s,%s,%s" % (door, *self.tls)] if self.tls else ["--http-socket", door]),
            "--wsgi-file", self.write("application.py", WSGI), "--need-app", "--master", "--die-on-term", "--processes", self.workers,
            *(["--threads", self.threads, "--enable-threads"] if self.threads > 1 else []), "--listen", self.backlog, "--socket-timeout", self.timeout,
            "--uid", "www-data", "--gid", "www-data", "--disable-logging"]


class PhpFpm(Nginx):
    """nginx with php-fpm behind it; nginx is the service that visitors see."""

    needs = ("nginx", "php-fpm")

    def __init__(self, stage, name, children=8, manager="static", port_of_pool=False, timeout=60, backend=None, **rest):
        """port_of_pool: the pool listens at a port of loopback, otherwise at a Unix socket as in Debian."""
        super().__init__(stage, name, **rest)
        self.children, self.manager, self.timeout, self.backend, self.pool = children, manager, timeout, backend, None
        self.door = "127.0.0.1:%d" % stage.port() if port_of_pool else self.dir + "/pool.sock"
        at = self.door if port_of_pool else "unix:" + self.door
        self.location = ("fastcgi_pass %s; fastcgi_read_timeout %ds; fastcgi_param SCRIPT_FILENAME %s/app.php; fastcgi_param QUERY_STRING $query_string; "
            "fastcgi_param REQUEST_METHOD $request_method; fastcgi_param CONTENT_TYPE $content_type; fastcgi_param CONTENT_LENGTH $content_length; "
            "fastcgi_param SERVER_PROTOCOL $server_protocol; fastcgi_param REQUEST_URI $request_uri;" % (at, timeout, self.dir))

    def start(self):
        program = next(iter(sorted(glob.glob("/usr/sbin/php-fpm*"))), None)
        if not program:
            raise Missing("php-fpm: not found")
        self.write("app.php", PHP)
        spare = "" if self.manager == "static" else "pm.start_servers = 2\npm.min_spare_servers = 1\npm.max_spare_servers = %d\n" % max(2, self.children // 2)
        config = self.write("fpm.conf", f"""[global]
error_log = {self.dir}/fpm.log
daemonize = no
[www]
user = www-data
group = www-data
listen = {self.door}
listen.mode = 0666
listen.backlog = 511
pm = {self.manager}
pm.max_children = {self.children}
{spare}clear_env = no
env[DRILL_BACKEND] = {self.backend.at if self.backend else "127.0.0.1:1"}
env[DRILL_TIMEOUT] = {self.timeout}
""")
        self.pool = self.stage.start(self.name + "-pool", [program, "--nodaemonize", "--fpm-config", config, "-c", "/dev/null"], ns=self.ns, groups=self.groups)
        super().start()

    def processes(self):
        return sorted(session(self.process.pid)) + sorted(session(self.pool.pid))

    def pool_workers(self):
        return [pid for pid in session(self.pool.pid) if pid != self.pool.pid]

    def stop(self):
        super().stop()
        self.stage.end(self.pool)

    def kill(self):
        super().kill()
        self.stage.end(self.pool, 0)
