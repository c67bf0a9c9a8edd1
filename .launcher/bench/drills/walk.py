"""Cure drills as a person walks them: from the mail of the alert, in a browser, to the verified change (docs/from-alert-to-verified.md).

    onset ─▶ mail ─▶ its link "Diagnosis" opened, logged in ─▶ the first advice applied ─▶ verified ─▶ undone

The browser clicks what the page names and chooses nothing (admin-ui/e2e/walk.mjs).
"""

import email
import email.policy
import json
import os
import re
import socketserver
import subprocess
import threading
import time

from administrator import Refused
from cures import CURES, JUDGED_WITHIN, TROUBLED, CureRun, restarted
from stage import before_others

MAIL_WITHIN = 60  # seconds from the onset
LINE = 4096


def can_be_walked(drill):
    """Not a change that nobody advises, and not a fault that passes before a person has read the mail."""
    plan = CURES[drill.name]
    return plan.change is None and not plan.afresh


class Mailbox:
    """A mail server that keeps what it gets, for one recipient."""

    def __init__(self):
        self.mails, self.lock = [], threading.Lock()
        box = self

        class Session(socketserver.StreamRequestHandler):
            def handle(self):
                self.say("220 drills")
                while True:
                    line = self.rfile.readline(LINE).strip()
                    verb = line[:4].upper()
                    if not line or verb == b"QUIT":
                        return self.say("221 bye")
                    if verb == b"DATA":
                        self.say("354 go on")
                        box.put(b"".join(iter(self.line_of_mail, b".\r\n")))
                    self.say("250 ok")

            def line_of_mail(self):
                line = self.rfile.readline()
                if not line:
                    raise ConnectionError("the mail ended before its last line")
                return line[1:] if line.startswith(b"..") else line

            def say(self, text):
                self.wfile.write(text.encode() + b"\r\n")

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def put(self, received):
        mail = email.message_from_bytes(received, policy=email.policy.default)
        with self.lock:
            self.mails.append((time.time(), mail["Subject"], mail.get_body(("plain",)).get_content()))

    def firing(self, service, since):
        """When the first mail about this service came, and its link to the diagnosis; None without one."""
        with self.lock:
            for at, subject, body in self.mails:
                link = re.search(r"^Diagnosis: (\S+)\s*$", body, re.MULTILINE)
                if at >= since and service in subject and "Firing" in subject and link:
                    return at, link.group(1)
        return None


class Walk(CureRun):
    """A running drill that a browser cures. The class attributes are set for a run."""

    mailbox, script, shots, port = None, None, None, None

    @classmethod
    def prepare(cls, watch, script, shots):
        """After the start of the central service."""
        cls.mailbox, cls.script, cls.shots, cls.port = Mailbox(), script, shots, watch.port
        watch.administrator.receive_mail(cls.mailbox.port)

    @staticmethod
    def arguments(port):
        return ["--komainu.alerts.allow=127.0.0.1", "--komainu.alerts.url=http://127.0.0.1:%d" % port]

    def be_troubled(self):
        service, deadline = self.watch.service(self.watched.port)["id"], time.time() + MAIL_WITHIN
        self.letter = None
        while self.letter is None and time.time() < deadline:
            time.sleep(0.2)
            self.letter = self.mailbox.firing(service, self.t0)
        if self.letter is None:
            raise Refused("no mail within %d s" % MAIL_WITHIN)

    def change_it(self):
        arrived, link = self.letter
        walked = self.browse(link)
        steps = {"mail": arrived, **walked["at"]}
        self.told.update(walk={name: round(at - self.t0, 1) for name, at in steps.items()})
        if "trouble" in walked:
            raise Refused(walked["trouble"])
        self.order = next(o for o in self.admin.orders(self.service) if o["state"] == "done" and o["adviceId"] == walked["advice"])
        self.change, self.t1 = self.order["changeId"], steps["applied"]
        self.told.update(leaf=walked["leaf"], id=walked["advice"], setting=self.order["setting"], before=self.order["before"], after=self.order["after"],
            expected=self.order["setting"] == self.plan.setting, how="browser, " + self.order["then"])
        self.judge()

    def browse(self, link):
        command = ["node", self.script, "--link", link, "--user", "admin", "--password", self.admin.password, "--apply-at", str(self.t0 + TROUBLED),
            "--patience", str(JUDGED_WITHIN)] + (["--shots", os.path.join(self.shots, self.drill.name)] if self.shots else [])
        with open(os.path.join(self.stage.work, self.drill.name + "-walk.log"), "w+") as out:
            browser = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
            try:
                while browser.poll() is None:
                    time.sleep(0.5)
                    # A process that the agent restarted gets the same priority as those of the drill.
                    for pid in restarted(self.watched.dir):
                        before_others(pid)
            finally:
                browser.kill()
                browser.wait()
            out.seek(0)
            lines = out.read().strip().split("\n")
        try:
            return json.loads(lines[-1])
        except ValueError:
            return {"at": {}, "trouble": lines[-1][:300]}
