"""A drill from its set-up to its verdict.

    set up ─ server, visitors ─▶ usual learnt ─▶ ONSET ─ the fault holds ─▶ CURE ─▶ normal again ─▶ torn down
             every alarm here is a false one        first cause named?        how soon?

Times are this program's clock and what a poll a second shows, so a second is their grain.
"""

import os
import threading
import time
import traceback

from judging import changes_of_name, first_name
from stage import Group, Missing
from watch import NO_ALARM, told_by

SEEN_WITHIN = 120    # seconds until the service must be seen, and normal
LEARNT_WITHIN = 75   # seconds until the usual values should be learnt; on a busy machine none are learnt, and some faults need no comparison
QUIET_BEFORE = 4     # seconds of normal before the onset
NAMED_WITHIN = 45    # seconds after which a fault counts as not named
NORMAL_WITHIN = 75   # seconds after which a cure counts as not seen
CALM = 8             # seconds of normal that end a drill
DRAINED_WITHIN = 120  # seconds for which connections of clients that left may stay in the listen queue


class Drill:
    """The actions and the expected state of a drill of catalogue.py."""

    def __init__(self, name, server, fault, expected, build, needs=(), link="plain", wan=(), far=False, phase="quiet", hold=20, restart=False, also=()):
        """also: states that are right as well as the expected one."""
        self.accepted = (expected, *also)
        self.back, self.port, self.named_port = None, None, False
        self.name, self.server, self.fault, self.expected, self.build = name, server, fault, expected, build
        self.needs, self.link, self.wan, self.far, self.phase, self.hold, self.restart = needs, link, wan, far, phase, hold, restart


class Run:
    """A running drill; `build` of its drill fills it."""

    def __init__(self, drill, stage, watch, load_command, plain, link):
        self.drill, self.stage, self.watch, self.load_command, self.plain, self.link = drill, stage, watch, load_command, plain, link
        self.servers, self.loads, self.crowds, self.onsets, self.cures = [], [], [], [], []
        self.watched, self.reason, self.result, self.learnt, self.crowded = None, None, {}, False, False
        self.began = time.time()

    # ---- what catalogue.py says ---------------------------------------------------------------------------------

    def serve(self, make, label="server", watched=True, **options):
        server = make(self.stage, "%s-%s" % (self.drill.name, label), **options)
        if self.drill.far and watched:
            server.ns, server.address, server.port = "far", self.link.server, self.link.port
        self.servers.append(server)
        if watched:
            self.watched = server
        return server

    def group(self, control, part=""):
        return Group(self.stage, self.drill.name + part, control)

    def visitors(self, rate, path="/", **options):
        """The constant visitors. rate: visits a second."""
        self.loads.append((rate, path, options))

    def others(self, start):
        """Visitors of a program other than the open load: start(number) starts them."""
        self.loads.append((start, None, None))

    def crowd(self, rate, path="/", **options):
        """Additional visitors from the onset to the cure."""
        self.crowded = True
        self.onsets.append(lambda: self.crowds.append(self.load("crowd%d" % len(self.crowds), rate, path, **options)))
        self.cures.append(self.dismiss)

    def dismiss(self):
        while self.crowds:
            self.stage.end(self.crowds.pop(), 1)

    def onset(self, action):
        self.onsets.append(action)

    def cure(self, action):
        self.cures.append(action)

    def load(self, name, rate, path, pages=0, patience=8, via=None, clients=None, **more):
        link = via or self.link
        what = ["--pages", pages, "--zipf", "0"] if pages else ["--path", path]
        return self.stage.start("%s-%s" % (self.drill.name, name), self.load_command + ["--target", "%s:%d" % (link.server, self.watched.port),
            "--from", clients or link.clients, "--phases", "%gx86400" % rate, "--patience", patience, "--seed", 7] + what
            + [a for key, value in more.items() for a in ("--" + key.replace("_", "-"), value)], ns="client")

    # ---- its course -----------------------------------------------------------------------------------------------

    def guarded(self, step):
        """Runs a step whose failure does not affect the other drills."""
        if self.reason:
            return
        try:
            step()
        except (Missing, OSError) as e:
            self.reason = str(e)
        except Exception as e:  # an error of one drill must not prevent the verdicts of the others
            self.reason = "%s: %s" % (type(e).__name__, e)
            traceback.print_exc()

    def set_up(self):
        self.drill.build(self)
        for server in self.servers:
            server.start()
        for server in self.servers:
            server.await_listening()
        for n, (rate, path, options) in enumerate(self.loads):
            rate(n) if callable(rate) else self.load("visitors%d" % n, rate, path, **options)

    def settle(self):
        """Waits until the service is seen, its usual response time is learnt, and it has been normal for some seconds."""
        begun, calm = time.monotonic(), 0
        while time.monotonic() - begun < max(SEEN_WITHIN, LEARNT_WITHIN):
            time.sleep(1)
            calm = calm + 1 if self.watch.state(self.watched.port) == "normal" else 0
            self.learnt = self.learnt or calm > 0 and self.watch.learnt(self.watched.port)
            if calm >= QUIET_BEFORE and (self.learnt or time.monotonic() - begun >= LEARNT_WITHIN):
                return
        raise Missing("not settled within %d s: its state is %s" % (SEEN_WITHIN, self.watch.state(self.watched.port)))

    def induce(self):
        port, expected = self.watched.port, self.drill.expected
        self.t0 = time.time()
        try:
            for action in self.onsets:
                action()
        except (Missing, OSError):
            self.heal()
            raise
        wanted = None if expected == "normal" else self.drill.accepted
        deadline = self.t0 + (self.drill.hold if wanted is None else NAMED_WITHIN)
        while time.time() < deadline:
            time.sleep(0.5)
            named = wanted and any(e["state"] in wanted for e in self.watch.history(port, self.t0)[1:])
            if named and time.time() - self.t0 >= self.drill.hold:
                break
        self.t_cure = time.time()
        self.held, self.seen = time.time() - self.t0, self.watch.service(port)
        for action in self.cures:
            action()
        self.drain()
        calm_since, deadline = None, self.t1 + NORMAL_WITHIN
        while time.time() < deadline:
            time.sleep(0.5)
            if self.watch.state(port) == "normal":
                calm_since = calm_since or time.time()
                if time.time() - calm_since >= CALM:
                    break
            else:
                calm_since = None

    def drain(self):
        """Waits until the server has no connections of the additional visitors left, queued or accepted, and nobody still tries to connect. Until then it is
        as busy as with them."""
        begun, empty, self.t1 = time.time(), 0, time.time()
        while self.crowded and empty < 2 and time.time() - begun < DRAINED_WITHIN:
            queue = self.stage.listen_queue(self.watched.ns, self.watched.port)
            gone = self.stage.left_behind(self.watched.ns, self.watched.port)
            waiting = self.stage.connecting("client", self.watched.port)
            empty = empty + 1 if not queue and gone < 2 and waiting < 2 else 0
            self.t1 = self.t1 if empty > 1 else time.time()
            time.sleep(0.5)
        self.drained = self.t1 - begun

    def heal(self):
        """Cleans up after a fault that was induced only in part."""
        for action in self.cures:
            try:
                action()
            except (Missing, OSError):
                pass

    def tear_down(self):
        self.ended = time.time()
        self.result = self.verdict()
        with self.stage.lock:
            own = [p for p in self.stage.running if p.name.startswith(self.drill.name + "-")]
        stoppers = [threading.Thread(target=self.stage.end, args=(p, 4), daemon=True) for p in own]
        for stopper in stoppers:
            stopper.start()
        for stopper in stoppers:
            stopper.join()

    # ---- its verdict ------------------------------------------------------------------------------------------------

    def verdict(self):
        drill = self.drill
        told = {"name": drill.name, "server": drill.server, "fault": drill.fault, "expected": drill.expected}
        if self.reason:
            return {**told, "run": False, "reason": self.reason}
        port = self.watched.port
        before = [e for e in self.watch.history(port, self.began, self.t0)]
        after = self.watch.history(port, self.t0, self.ended)
        changes = after[1:]
        named = first_name(changes)
        first = named["state"] if named else changes[0]["state"] if changes and changes[0]["state"] == "unknown" else "normal"
        right = next((e for e in changes if e["state"] in drill.accepted), None) if drill.expected != "normal" else None
        last = after[-1]
        recovered = last["at"] - self.t1 if last["state"] == "normal" and len(after) > 1 else None
        return {**told, "run": True, "named": first, "right": first in drill.accepted, "accepted": drill.accepted,
            "secondsToName": round(right["at"] - self.t0, 1) if right else None,
            "secondsToRecover": round(max(recovered, 0), 1) if recovered is not None else (0 if len(after) == 1 else None),
            "recovered": last["state"] == "normal",
            # A fault and its end are two changes, a crash also has a restart; further changes are flaps.
            "flaps": max(0, len(changes) - (2 if named else 0) - sum(a["state"] == "stopped/crashed" and b["state"] == "stopped/restarting" for a, b in zip(changes, changes[1:]))),
            "falseAlarms": [e["state"] for e in before if e["state"] not in NO_ALARM],
            "secondsToFirstName": round(named["at"] - self.t0, 1) if named else None,
            "changesOfName": changes_of_name(after[1:], self.t_cure),
            "times": {"began": self.began, "onset": self.t0, "cure": self.t_cure, "served": self.t1, "ended": self.ended},
            "serviceId": (self.watch.service(port) or {}).get("id"),
            "states": [[round(e["at"] - self.t0, 1), e["state"]] for e in after],
            "learnt": self.learnt, "heldSeconds": round(self.held, 1), "drainedSeconds": round(self.drained, 1), "service": self.watched.kind,
            "cause": (named or told_by(self.seen))["cause"], "evidence": (named or told_by(self.seen))["evidence"], "figures": (self.seen or {}).get("summary"),
            "load": os.getloadavg()[0]}
