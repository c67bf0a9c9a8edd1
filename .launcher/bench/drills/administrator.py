"""An administrator of the platform by REST: the first login, then requests with a token of the role operator."""

import http.client
import json
import os
import time
import urllib.parse

from stage import Missing

RIGHTS = ["metrics:read", "servers:read", "tuning:run", "tuning:apply"]
OUTCOME_WITHIN = 180  # seconds until an order must have ended: a restart of a JVM under load is slow


class Refused(Missing):
    """The reason why the platform refused a request."""


class Administrator:
    def __init__(self, port, data):
        self.port, self.headers = port, {}
        with open(data + "/first-password") as file:
            first = file.read().strip()
        own = os.urandom(12).hex()
        session = self.log_in(first)
        self.ask("PUT", "/api/v1/session/password", {"currentPassword": first, "newPassword": own}, session)
        session = self.session = self.log_in(own)
        self.password = own
        made = self.ask("POST", "/api/v1/tokens", {"name": "drills", "scopes": RIGHTS, "expiresInDays": 1}, session)
        self.headers = {"Authorization": "Bearer " + made["secret"]}

    def log_in(self, password):
        status, headers, body = self.send("POST", "/api/v1/session", {"name": "admin", "password": password}, {})
        if status != 200:
            raise Refused("login: %d %s" % (status, body[:200]))
        return {"Cookie": headers["Set-Cookie"].split(";")[0], "X-CSRF-Token": json.loads(body)["csrfToken"]}

    def send(self, method, path, body, headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json", **headers})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode(errors="replace")
        finally:
            connection.close()

    def ask(self, method, path, body=None, headers=None):
        status, _, text = self.send(method, path, body, self.headers if headers is None else headers)
        if status >= 300:
            raise Refused("%s %s: %d %s" % (method, path, status, text[:400]))
        return json.loads(text) if text else None

    def get(self, path, **query):
        return self.ask("GET", path + ("?" + urllib.parse.urlencode(query) if query else ""))

    # ---- what the console's pages do ------------------------------------------------------------------------------

    def service(self, service):
        return self.get("/api/v1/services/" + named(service))

    def value(self, service, setting):
        """The effective value, as the agent discovered it."""
        return next((s["value"] for s in self.service(service)["settings"] if s["name"] == setting), None)

    def diagnose(self, service):
        """Runs the flowchart and stores the run."""
        return self.ask("POST", "/api/v1/services/%s/diagnosis" % named(service))

    def obstacle(self, service, setting, before):
        return self.get("/api/v1/services/%s/order-prospect" % named(service), setting=setting, before=before)["obstacle"]

    def order(self, wish):
        return self.ended(self.ask("POST", "/api/v1/orders", {**wish, "confirmed": True}))

    def roll_back(self, order):
        return self.ended(self.ask("POST", "/api/v1/orders/%s/rollback" % order["id"], {"confirmed": True}))

    def orders(self, service):
        """The newest orders of a service, newest first."""
        return self.get("/api/v1/orders", service=service)["items"]

    def receive_mail(self, port):
        """Adds a receiver: a mail server of this host."""
        mail = {"host": "127.0.0.1", "port": port, "security": "none", "from": "komainu@example.com", "to": ["operators@example.com"]}
        self.ask("POST", "/api/v1/receivers", {"name": "operators", "type": "mail", "mail": mail}, self.session)

    def ended(self, order):
        deadline = time.monotonic() + OUTCOME_WITHIN
        while order["state"] == "open" and time.monotonic() < deadline:
            time.sleep(0.5)
            order = self.get("/api/v1/orders/" + order["id"])
        return order

    def record(self, wish):
        return self.ask("POST", "/api/v1/changes", wish)

    def verification(self, change, patience):
        """The automatic verification of a change, when it has a verdict."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            runs = self.get("/api/v1/verifications", change=change)["items"]
            if runs and runs[0]["verdict"]:
                return runs[0]
            time.sleep(1)
        raise Refused("verification of change %s: no verdict within %d s" % (change, patience))


def named(service):
    return urllib.parse.quote(service, safe="")
