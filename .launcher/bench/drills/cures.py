"""Tests of the wizard's advice: saturations of catalogue.py, and useless and harmful changes.

    usual learnt ─▶ ONSET, the crowd stays ─▶ diagnosed, the first advice of the first leaf applied ─▶ verified ─▶ undone

Nothing here chooses the advice: what the wizard's page would open at is taken, whatever it is. `setting` only tells the reader
whether that was the one the drill's author had in mind.
"""

import os
import signal
import subprocess
import time

import catalogue
import leaf_cures
from administrator import Refused
from drill import Drill, Run
from servers import Apache, Nginx, Origin
from stage import before_others, session

BASELINE, SETTLE, AFTER = 30, 20, 40  # seconds; the minimum that a verification needs for meaningful intervals
TROUBLED = 20 + BASELINE              # seconds of the fault before the change, so that the whole baseline is in the fault
JUDGED_WITHIN = SETTLE + AFTER + 120  # seconds from a change to its verdict
NORMAL_WITHIN = 60                    # seconds after a verdict, or a rollback
LENGTHS = ["--komainu.verify.%s=%ds" % length for length in (("baseline", BASELINE), ("settle", SETTLE), ("after", AFTER))]
SYSCTL_FILE = "/etc/sysctl.d/90-komainu.conf"  # the agent's file of kernel values; the file of this machine itself


class Cure:
    """The change of a drill, and the expected verdict of its verification.

    setting: what the wizard is expected to name; change: (setting, value) to be ordered instead of asking the wizard;
    afresh: the crowd goes when the change is made and comes again: what saturates is its coming, not its being there. A comparison of averages cannot
    judge that (the load before and after differs by more than it may), so "inconclusive" is right, too, if the second coming does not saturate.
    """

    def __init__(self, setting, wanted="improved", change=None, afresh=False):
        self.setting, self.wanted, self.change, self.afresh = setting, wanted, change, afresh


CURES = {
    "prefork-workers": Cure("MaxRequestWorkers"),
    "worker-workers": Cure("MaxRequestWorkers"),
    "event-workers": Cure("MaxRequestWorkers"),
    "tomcat-threads": Cure("maxThreads"),
    "varnish-threads": Cure("thread_pool_max"),
    "prefork-ramp": Cure("MinSpareServers", afresh=True),
    "nginx-connections": Cure("worker_connections"),
    "haproxy-connections": Cure("maxconn"),
    "tomcat-connections": Cure("maxConnections"),
    "nginx-files": Cure("worker_rlimit_nofile"),
    "squid-files": Cure("max_filedescriptors"),
    "komainu-files": Cure("limit:nofile"),
    "prefork-backlog": Cure("ListenBacklog"),
    "nginx-backlog": Cure("backlog"),
    "prefork-quota": Cure("cgroup:cpu.max"),
    "tomcat-quota": Cure("cgroup:cpu.max"),
    "haproxy-ports": Cure("sysctl:net.ipv4.ip_local_port_range"),
    "squid-ports": Cure("sysctl:net.ipv4.ip_local_port_range"),
    "nginx-ports": Cure("sysctl:net.ipv4.ip_local_port_range"),
}


def too_many(d):
    """Sixty workers are far more than these visitors need, and each of them grows in turn."""
    memory = d.group("memory")
    memory.limit(500 << 20)
    d.serve(Apache, workers=60, groups=[memory])
    d.visitors(10, "/app?sleep=20")
    d.crowd(30, "/app?sleep=20&keep=24")


def useless_timeout(d):
    d.serve(Apache, mpm="event", workers=60)
    d.visitors(30, "/app?sleep=100")


def useless_backlog(d):
    d.serve(Nginx, location=Nginx.before(d.serve(Origin, "origin", watched=False, think=100)))
    d.visitors(30)


def harmful_workers(d):
    d.serve(Apache, workers=40)
    d.visitors(40, "/app?sleep=200")


def harmful_connections(d):
    d.serve(Nginx, connections=512, location="limit_rate 4k; limit_rate_after 1k;").pages(1, 17_000)
    d.visitors(20, "/page/1.html")


def own():
    """Drills that exist only for cures: one more fault, and changes without a fault."""
    CURES["prefork-too-many"] = Cure("MaxRequestWorkers")
    yield Drill("prefork-too-many", "Apache prefork", "60 workers that grow to 24 MB each in a control group of 500 MB", "saturated/memory", too_many, ["apache2"], phase="fat")
    for name, server, what, build, needs, cure in [
        ("useless-timeout", "Apache event", "KeepAliveTimeout 5 → 15 where nobody keeps connections", useless_timeout, ["apache2"],
            Cure("KeepAliveTimeout", "unchanged", ("KeepAliveTimeout", "15"))),
        ("useless-backlog", "nginx", "listen … backlog=511 → 1024 where nothing overflows", useless_backlog, ["nginx"],
            Cure("backlog", "unchanged", ("backlog", "1024"))),
        ("harmful-workers", "Apache prefork", "MaxRequestWorkers 40 → 4 where 8 are busy", harmful_workers, ["apache2"],
            Cure("MaxRequestWorkers", "worse", ("MaxRequestWorkers", "4"))),
        ("harmful-connections", "nginx", "worker_connections 512 → 40 where 80 are open", harmful_connections, ["nginx"],
            Cure("worker_connections", "worse", ("worker_connections", "40"))),
    ]:
        CURES[name] = cure
        yield Drill(name, server, what, "normal", build, needs)


def drills():
    changes = list(own())
    for drill, setting in leaf_cures.drills():
        CURES.setdefault(drill.name, Cure(setting))
        changes.append(drill)
    replaced = {d.name for d in changes}
    return [d for d in catalogue.DRILLS if d.name in CURES and d.name not in replaced] + changes


class CureRun(Run):
    """A running drill that the platform cures."""

    def __init__(self, drill, *rest):
        super().__init__(drill, *rest)
        self.plan, self.told = CURES[drill.name], {}

    @property
    def admin(self):
        return self.watch.administrator

    def induce(self):
        self.t0 = time.time()
        try:
            for action in self.onsets:
                action()
            self.be_troubled()
            self.service = self.watch.service(self.watched.port)["id"]
            self.told["seconds"] = round(time.time() - self.t0)
            self.told["named"] = next((e["state"] for e in self.watch.history(self.watched.port, self.t0)[1:] if e["state"] not in ("normal", "unknown")), "normal")
            self.files = kept(self.watched.dir)
            self.change_it()
        except Refused as e:
            self.told["trouble"] = str(e)
        finally:
            self.dismiss()
            try:
                self.undo()
            except Refused as e:
                self.told["trouble"] = self.told.get("trouble", str(e))
            self.heal()

    def change_it(self):
        self.apply(self.wish() if self.plan.change else self.advised())
        self.judge()

    def be_troubled(self):
        """Waits until the whole baseline is in the fault. A saturation that only the arrival of visitors causes is over by then, so its diagnosis is read as soon as it is named."""
        deadline = time.time() + TROUBLED
        while time.time() < deadline and not (self.plan.afresh and self.watch.state(self.watched.port) not in ("normal", "unknown")):
            time.sleep(0.5)

    def wish(self):
        """A change that was not advised."""
        setting, after = self.plan.change
        return {"id": None, "setting": setting, "current": self.admin.value(self.service, setting), "proposed": after, "title": {"en": "Drill: " + setting}, "steps": []}

    def advised(self):
        """The advice at which the wizard's page opens: the first one of the first leaf with advice."""
        diagnosis = self.admin.diagnose(self.service)
        self.told.update(state=diagnosis["state"], leaves=diagnosis["leaves"], diagnosis=diagnosis["id"],
            advice=["%s: %s → %s" % (a["id"], a["current"], a["proposed"]) for a in diagnosis["advice"]])
        if not diagnosis["advice"]:
            raise Refused("the wizard advises nothing in %s (%s)" % (diagnosis["state"], ", ".join(diagnosis["leaves"])))
        first = diagnosis["advice"][0]
        self.told.update(leaf=first["node"], derivation=first["derivation"]["en"], conflicts=[c["en"] for c in first["conflicts"]])
        return first

    def apply(self, advice):
        setting, before, after = advice["setting"], advice["current"], advice["proposed"]
        self.told.update(id=advice["id"], setting=setting, expected=setting == self.plan.setting, before=before, after=after)
        wish = {"service": self.service, "setting": setting, "before": before, "after": after, "title": advice["title"]["en"][:200],
            "adviceId": advice["id"], "diagnosisId": self.told.get("diagnosis")}
        obstacle = self.admin.obstacle(self.service, setting, before or "") if before else "unknown-setting"
        if self.plan.afresh:
            self.dismiss()
        if obstacle is None:
            self.order = self.admin.order(wish)
            self.told.update(how="order, " + self.order["then"], orderState=self.order["state"], detail=self.order["detail"], file=self.order["file"])
            if self.order["state"] != "done":
                raise Refused("order %s: %s (%s)" % (self.order["state"], self.order["reason"], self.order["detail"]))
            self.change = self.order["changeId"]
            # A process that the agent restarted gets the same priority as those of the drill.
            for pid in restarted(self.watched.dir):
                before_others(pid)
        else:
            self.told.update(obstacle=obstacle)
            self.by_hand(advice)
            self.change = self.admin.record({key: value for key, value in wish.items() if value is not None})["id"]
        self.t1 = time.time()
        if self.plan.afresh:
            time.sleep(SETTLE - 2)
            self.came = time.time()
            for action in self.onsets:
                action()

    def by_hand(self, advice):
        """The page's own command line for the running server. A drill must not write files of the machine's distribution."""
        runtime = next((s["command"] for s in advice["steps"] if s["kind"] == "runtime" and s.get("command") not in (None, "true")), None)
        if runtime is None:
            raise Refused("%s: no order can set it, and no command at run time" % advice["setting"])
        # With several instances of Varnish, the command must name one.
        line = runtime.replace("varnishadm ", "varnishadm -n %s/n " % self.watched.dir)
        done = subprocess.run(["sh", "-c", line], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        self.told.update(how="command: " + line)
        if done.returncode:
            raise Refused("%s: %s" % (line, done.stdout.strip()))
        back = next((s["command"] for s in advice["steps"] if s["kind"] == "rollback"), None)
        # Its first part restores the running server, the rest restores files.
        self.back = back.split(" && ")[0].replace("varnishadm ", "varnishadm -n %s/n " % self.watched.dir) if back else None

    order = back = came = None

    def judge(self):
        run = self.admin.verification(self.change, JUDGED_WITHIN)
        result = run["result"] or {"rows": []}
        self.told.update(verification=run["id"], verdict=run["verdict"], reason=run["reason"], stateBefore=run["stateBefore"], stateAfter=result.get("stateAfter"),
            loadBefore=result.get("loadBefore"), loadAfter=result.get("loadAfter"), witness=witness(run),
            rows=[{key: row[key] for key in ("index", "unit", "group", "before", "after", "low", "high", "verdict")} for row in result["rows"]])
        if self.came:
            again = [e["state"] for e in self.watch.history(self.watched.port, self.came)]
            self.told["saturatedAgain"] = any(state.startswith("saturated") for state in again[1:])
        self.told["normal"] = self.becomes_normal() if self.plan.wanted == "improved" else self.watch.state(self.watched.port) == "normal"

    def becomes_normal(self):
        """Whether the state is normal for some seconds while the load continues."""
        deadline, since = time.time() + NORMAL_WITHIN, None
        while time.time() < deadline:
            since = (since or time.time()) if self.watch.state(self.watched.port) == "normal" else None
            if since and time.time() - since >= 4:
                return True
            time.sleep(0.5)
        return False

    def undo(self):
        """Restores the old value: it is effective, and the file is the same byte for byte."""
        if self.back:
            done = subprocess.run(["sh", "-c", self.back], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.told["restored"] = done.returncode == 0
        if not self.order or self.order["state"] != "done":
            return
        back = self.admin.roll_back(self.order)
        self.told.update(rollback=back["state"], rollbackDetail=back["detail"])
        path, value = self.order["file"], self.await_value(self.told["setting"], self.told["before"])
        same = path is None or read(path) == self.files.get(path)
        self.told["restored"] = back["state"] == "done" and value == self.told["before"] and same
        if self.plan.wanted == "worse":
            self.told["normalAgain"] = self.becomes_normal()

    def await_value(self, setting, wanted):
        deadline, value = time.time() + 30, None
        while time.time() < deadline:
            value = self.admin.value(self.service, setting)
            if value == wanted:
                break
            time.sleep(1)
        return value

    def tear_down(self):
        super().tear_down()
        for server in self.servers:
            end_restarted(server.dir)

    def verdict(self):
        drill = self.drill
        told = {"name": drill.name, "server": drill.server, "fault": drill.fault, "expected": drill.expected}
        if self.reason:
            return {**told, "run": False, "reason": self.reason}
        return {**told, "run": True, "learnt": self.learnt, "load": os.getloadavg()[0], "wanted": self.plan.wanted, "cure": self.told, "cured": self.is_as_wanted(),
            "states": [[round(e["at"] - self.t0, 1), e["state"]] for e in self.watch.history(self.watched.port, self.t0, self.ended)]}

    def is_as_wanted(self):
        told = self.told
        right = told.get("verdict") == self.plan.wanted or self.plan.afresh and told.get("verdict") == "inconclusive" and not told.get("saturatedAgain", True)
        return right and told.get("restored", False) and (
            told.get("normalAgain", False) if self.plan.wanted == "worse" else told.get("normal", False))


def witness(run):
    """The row that decided the verdict."""
    rows = (run["result"] or {"rows": []})["rows"]
    wanted = [r for r in rows if r["verdict"] == run["verdict"] and r["group"] != "resources"]
    groups = ["failures", "times"] if "failures" in run["reason"] else ["times", "failures"]
    return next((r for g in groups for r in wanted if r["group"] == g), None)


def kept(directory):
    """The current configuration files by path, including the agent's file of kernel values."""
    found = {}
    for place, below, names in os.walk(directory):
        below[:] = [b for b in below if b not in ("www", "logs", "data", "n", "work", "temp", "webapps")]
        for name in names:
            path = os.path.join(place, name)
            if os.path.isfile(path) and os.path.getsize(path) < 1 << 20:
                found[os.path.realpath(path)] = read(path)
    found[SYSCTL_FILE] = read(SYSCTL_FILE)
    return found


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def end_restarted(directory):
    for found in restarted(directory):
        try:
            leader = os.getsid(found)
            for pid in [found] if leader == os.getsid(0) else session(leader):
                os.kill(pid, signal.SIGKILL)
        except OSError:
            pass


def restarted(directory):
    """A server that an agent restarted is no child of this process: it is found by the directory on its command line."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and (directory + "/").encode() in (read("/proc/%s/cmdline" % name) or b"")]


def guard_sysctl(stage):
    """Restores the machine's own file of kernel values at the end of the run."""
    was = read(SYSCTL_FILE)

    def back():
        if was is None and os.path.exists(SYSCTL_FILE):
            os.remove(SYSCTL_FILE)
        elif was is not None and read(SYSCTL_FILE) != was:
            with open(SYSCTL_FILE, "wb") as file:
                file.write(was)

    stage.undo(back)
