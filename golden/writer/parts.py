"""Starts and stops the parts of the tree at /srv/komainu, and talks to the central service."""
import base64
import http.client
import json
import os
import signal
import subprocess
import time
import urllib.request

DATA = "/srv/data"
CENTRAL = "http://127.0.0.1:7610"
RUN = 'ROOT=/srv/komainu JDK=/srv/jdk; . $ROOT/.launcher/parts.sh; part=$1; shift; part_command "$part" "$@"; exec "${JAVA_COMMAND[@]}" "$@"'
running = {}


def start(part, *arguments, name=None):
    name = name or part
    log = open(f"{DATA}/log-{name}", "ab")
    running[name] = subprocess.Popen(["bash", "-c", RUN, "-", part, *arguments], cwd=f"{DATA}/conf", stdout=log, stderr=log)


def stop(name):
    process = running.pop(name)
    process.send_signal(signal.SIGTERM)
    if process.wait(timeout=60) not in (0, 143, -15):
        raise SystemExit(f"{name} ended with {process.returncode}: see its log")


def until(what, condition, seconds=90):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            found = condition()
            if found:
                return found
        except (OSError, http.client.HTTPException, ValueError, KeyError, IndexError):
            pass
        time.sleep(0.3)
    for name in running:
        print(f"--- {name}", open(f"{DATA}/log-{name}", errors="replace").read()[-1500:], flush=True)
    raise SystemExit(f"not within {seconds} s: {what}")


def fetch(url, host=None, headers=None, method="GET", body=None, timeout=10):
    request = urllib.request.Request(url, data=body, method=method, headers={**({"Host": host} if host else {}), **(headers or {})})
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        return answer.status, dict(answer.headers), answer.read()


class Person:
    """A user's browser, or a machine with a token."""

    def __init__(self, token=None):
        self.headers = {"Authorization": "Bearer " + token} if token else {}

    def ask(self, method, path, body=None, **more):
        data = None if body is None else json.dumps(body).encode()
        headers = {**self.headers, **more.get("headers", {})}
        if data is not None:
            headers["Content-Type"] = "application/json"
        try:
            status, told, answer = fetch(CENTRAL + path, headers=headers, method=method, body=data)
        except urllib.error.HTTPError as e:
            if more.get("lenient"):
                return None
            raise SystemExit(f"{method} {path}: {e.code} {e.read().decode()}") from e
        self.cookie = told.get("Set-Cookie", "").split(";")[0]
        return json.loads(answer) if answer[:1] in (b"{", b"[") else answer.decode()

    def login(self, name, password):
        session = self.ask("POST", "/api/v1/session", {"name": name, "password": password})
        self.headers = {"Cookie": self.cookie, "X-CSRF-Token": session["csrfToken"]}
        return self

    def password(self, old, new):
        self.ask("PUT", "/api/v1/session/password", {"currentPassword": old, "newPassword": new})
        return self
