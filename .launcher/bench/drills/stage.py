"""The stage of the drills: network namespaces with cables between them, control groups, processes; and that nothing remains.

    client  10.98.N.10+20 ── [hop: a bridge] ── server 10.98.N.1      visitors, and the servers with agent and central service
    client  10.99.N.10+20 ── [hop]          ── far    10.99.N.1      a server seen by a probe at the clients' side only
    client  10.97.0.2 ──────────────────────── server 10.97.0.1      the probe's way to the central service

This program moves into the server's namespace by itself (setns), so that everything it starts is there unless said otherwise, and
still sees the machine's own file systems: `ip netns exec` would hide the control groups.
"""

import ctypes
import os
import shutil
import signal
import subprocess
import threading
import time

CGROUPS = "/sys/fs/cgroup"


# Servers listen from here on.
FIRST_PORT = 18200


class Missing(Exception):
    """The reason why a drill cannot run here."""


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode:
        raise Missing("%s: %s" % (" ".join(command), done.stdout.strip() or "exit code %d" % done.returncode))
    return done.stdout


class Stage:
    def __init__(self, work, wan_source):
        self.work = work
        self.tag = "kd-%d" % os.getpid()
        self.wan_source = wan_source
        self.namespaces, self.running, self.groups, self.undone = [], [], [], []
        self.lock = threading.Lock()
        self.next_port, self.next_link = FIRST_PORT, 0
        self.closing = False  # guarded by lock, as is running

    # ---- namespaces and cables ------------------------------------------------------------------------------

    def ns(self, name):
        return "%s-%s" % (self.tag, name)

    def namespace(self, name):
        run("ip", "netns", "add", self.ns(name))
        self.namespaces.append(name)
        run("ip", "-n", self.ns(name), "link", "set", "lo", "up")
        # A wide range of ports for visitors, and no slow-start threshold inherited from an earlier drill.
        self.sysctl(name, "net.ipv4.ip_local_port_range", "1024 65000")
        # No connection may use the port at which a server will listen.
        self.sysctl(name, "net.ipv4.ip_local_reserved_ports", "%d-%d" % (FIRST_PORT, FIRST_PORT + 999))
        self.sysctl(name, "net.ipv4.tcp_no_metrics_save", "1")
        self.sysctl(name, "net.core.somaxconn", "4096")

    def enter(self, name):
        """Moves this program into the namespace."""
        with open("/run/netns/" + self.ns(name)) as handle:
            if ctypes.CDLL(None, use_errno=True).setns(handle.fileno(), 0x40000000):
                raise Missing("setns: " + os.strerror(ctypes.get_errno()))

    def within(self, name):
        return ["nsenter", "--net=/run/netns/" + self.ns(name)] if name else []

    def sysctl(self, name, key, value):
        """Sets the value and returns the previous one."""
        before = run(*self.within(name), "sysctl", "-n", key).strip().replace("\t", " ")
        run(*self.within(name), "sysctl", "-qw", "%s=%s" % (key, value))
        return before

    def cable(self, one, one_end, other, other_end, plain_sizes=False):
        run("ip", "link", "add", one_end, "netns", self.ns(one), "type", "veth", "peer", "name", other_end, "netns", self.ns(other))
        for name, end in ((one, one_end), (other, other_end)):
            run("ip", "-n", self.ns(name), "link", "set", end, "up")
            if plain_sizes:
                run(*self.within(name), self.wan(), "--offloads-off", end)

    def address(self, name, end, first, count=1):
        head, _, last = first.rpartition(".")
        for i in range(count):
            run("ip", "-n", self.ns(name), "addr", "add", "%s.%d/24" % (head, int(last) + i), "dev", end)

    def link(self, kind="plain", far=False, wan=()):
        """A path from the visitors to a server. kind: plain, hop (a bridge in the middle that can be narrowed or cut), wan (the emulator)."""
        self.next_link += 1
        n, side, net = self.next_link, "far" if far else "server", "10.99" if far else "10.98"
        if far and "far" not in self.namespaces:
            self.namespace("far")
        outer, inner = "kdc%d" % n, "kds%d" % n
        emulator = None
        if kind == "plain":
            self.cable("client", outer, side, inner)
        else:
            if "hop" not in self.namespaces:
                self.namespace("hop")
            self.cable("client", outer, "hop", "kdx%d" % n, True)
            self.cable(side, inner, "hop", "kdy%d" % n, True)
            if kind == "hop":
                run("ip", "-n", self.ns("hop"), "link", "add", "kdb%d" % n, "type", "bridge")
                for end in ("kdx%d" % n, "kdy%d" % n):
                    run("ip", "-n", self.ns("hop"), "link", "set", end, "master", "kdb%d" % n)
                run("ip", "-n", self.ns("hop"), "link", "set", "kdb%d" % n, "up")
            else:
                emulator = self.start("wan%d" % n, [self.wan(), *(part.replace("{n}", str(n)) for part in wan), "kdx%d" % n, "kdy%d" % n], ns="hop")
        self.address("client", outer, "%s.%d.10" % (net, n), 20)
        self.address(side, inner, "%s.%d.1" % (net, n))
        return Link(self, n, net, far, emulator)

    def back_link(self):
        """A path from the servers to a host behind them, through a switch, so that a pulled cable leaves the server's own interface up."""
        for name in ("back", "hop"):
            if name not in self.namespaces:
                self.namespace(name)
        self.next_link += 1
        n = self.next_link
        self.cable("server", "kdu%d" % n, "hop", "kdv%d" % n)
        self.cable("back", "kdz%d" % n, "hop", "kdw%d" % n)
        run("ip", "-n", self.ns("hop"), "link", "add", "kdb%d" % n, "type", "bridge")
        for end in ("kdv%d" % n, "kdw%d" % n):
            run("ip", "-n", self.ns("hop"), "link", "set", end, "master", "kdb%d" % n)
        run("ip", "-n", self.ns("hop"), "link", "set", "kdb%d" % n, "up")
        self.address("server", "kdu%d" % n, "10.96.%d.1" % n)
        self.address("back", "kdz%d" % n, "10.96.%d.2" % n)
        return BackLink(self, n)

    def wan(self):
        path = os.path.join(self.work, "wan")
        if not os.path.exists(path):
            if not shutil.which("cc"):
                raise Missing("cc: not found. Fix: apt-get install -y --no-install-recommends gcc libc6-dev")
            run("cc", "-O2", "-o", path, self.wan_source)
        return path

    def listen_queue(self, ns, port):
        """Connections that wait to be accepted at a port; 0 when no socket listens."""
        told = run(*self.within(ns), "ss", "-Hltn", "sport = :%d" % port).split("\n")
        return max([int(line.split()[1]) for line in told if line.split()[1:2] and line.split()[1].isdigit()], default=0)

    def left_behind(self, ns, port):
        """Connections at a port whose client has left and that the server has not closed: it still works for them."""
        return len(run(*self.within(ns), "ss", "-Htn", "state", "close-wait", "sport = :%d" % port).splitlines())

    def connecting(self, ns, port):
        """Visitors whose SYN to a port has no answer yet: after a full listen queue they try again after 1, 3 and 7 s."""
        return len(run(*self.within(ns), "ss", "-Htn", "state", "syn-sent", "dport = :%d" % port).splitlines())

    # ---- processes ----------------------------------------------------------------------------------------------

    def start(self, name, command, ns=None, env=None, groups=(), files=None, directory=None, silent=False):
        """Starts a process in a session of its own, unless the run is ending; its output goes to WORK/NAME.log. files: its limit of open files.
        silent: at the end of a run nothing is started, and that is no failure."""
        whole = self.within(ns) + (["prlimit", "--nofile=%d:%d" % (files, files)] if files else []) + [str(part) for part in command]
        if groups:
            join = "".join("echo $$ >%s && " % path for group in groups for path in group.doors())
            whole = ["sh", "-c", join + 'exec "$@"', "sh"] + whole
        with self.lock, open(os.path.join(self.work, name + ".log"), "ab") as log:
            if self.closing and silent:
                return None
            if self.closing:
                raise Missing("the run is ending")
            process = subprocess.Popen(whole, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True,
                env=dict(os.environ, **(env or {})), cwd=directory)
            process.name = name
            self.running.append(process)
        before_others(process.pid)
        return process

    def words(self, name, most=600):
        try:
            with open(os.path.join(self.work, name + ".log"), errors="replace") as log:
                return log.read()[-most:].strip()
        except OSError:
            return ""

    def end(self, process, patience=8):
        """Sends SIGTERM to its first process, then SIGKILL to the whole session."""
        if process is None:
            return
        with self.lock:
            if process in self.running:
                self.running.remove(process)
        if process.poll() is None:
            try:
                process.send_signal(signal.SIGTERM)
                process.wait(patience)
            except (OSError, subprocess.TimeoutExpired):
                pass
        self.kill(process)

    def kill(self, process):
        """Kills (-9) all processes of its session."""
        for pid in session(process.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        if process.poll() is None:
            process.kill()
        process.wait()

    def signal(self, pids, number):
        """Sends a signal to processes that may have ended."""
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def port(self):
        with self.lock:
            self.next_port += 1
            return self.next_port

    # ---- the end ------------------------------------------------------------------------------------------------

    def steer(self, interface, cpus):
        """Lets these CPUs (a hexadecimal mask; 0: as the packets come) process what an interface of the server receives. This program is in its namespace, and
        a namespace shows its interfaces only in a /sys that was mounted in it."""
        script = 'mount -t sysfs sysfs /sys && for q in /sys/class/net/"$1"/queues/rx-*/rps_cpus; do echo "$2" >"$q"; done'
        run(*self.within("server"), "unshare", "-m", "sh", "-c", script, "sh", interface, cpus)

    def with_own_sys(self, name):
        """Words before a command that shall see its network namespace's interfaces in /sys; the control groups stay where they are."""
        groups = os.path.join(self.work, name + "-groups")
        os.makedirs(groups, exist_ok=True)
        script = 'mount --rbind /sys/fs/cgroup "$1" && mount -t sysfs sysfs /sys && mount --rbind "$1" /sys/fs/cgroup && shift && exec "$@"'
        return ["unshare", "-m", "sh", "-c", script, "sh", groups]

    def undo(self, action):
        """Registers an action for the end, unless it runs before: it restores a setting of the kernel."""
        self.undone.append(action)

    def clear(self):
        with self.lock:
            self.closing = True
        while self.undone:
            try:
                self.undone.pop()()
            except (OSError, Missing):
                pass
        for process in list(reversed(self.running)):
            try:
                process.send_signal(signal.SIGTERM)
            except OSError:
                pass
        for process in list(reversed(self.running)):
            self.end(process)
        for group in self.groups:
            group.remove()
        for name in reversed(self.namespaces):
            subprocess.run(["ip", "netns", "del", self.ns(name)], stderr=subprocess.DEVNULL)


class Link:
    """A path to a server: its addresses, and its faults."""

    def __init__(self, stage, n, net, far, emulator):
        self.stage, self.n, self.far, self.emulator = stage, n, far, emulator
        self.server = "%s.%d.1" % (net, n)
        self.clients = "%s.%d.10+20" % (net, n)
        self.net = "%s.%d" % (net, n)
        self.interface = "kds%d" % n
        self.outer = "kdc%d" % n

    def some(self, first, count):
        """Some of the visitors' addresses."""
        return "%s.%d+%d" % (self.net, first, count)

    def shape(self, mbit, at="server"):
        """A token bucket for the packets of the server: at its own interface, or at the next hop."""
        where, end = ("server", self.interface) if at == "server" else ("hop", "kdx%d" % self.n)
        run("tc", "-n", self.stage.ns(where), "qdisc", "replace", "dev", end, "root", "tbf", "rate", "%gmbit" % mbit,
            "burst", "16kb", "latency", "100ms")

    def unshape(self, at="server"):
        where, end = ("server", self.interface) if at == "server" else ("hop", "kdx%d" % self.n)
        run("tc", "-n", self.stage.ns(where), "qdisc", "del", "dev", end, "root")

    def cut(self, down=True):
        run("ip", "-n", self.stage.ns("hop"), "link", "set", "kdy%d" % self.n, "down" if down else "up")

    def lose(self, share):
        """Loses this share of the packets of both directions at the next hop: by netem, or by the emulator where the kernel has no netem."""
        hop, ends = self.stage.ns("hop"), ("kdx%d" % self.n, "kdy%d" % self.n)
        try:
            for end in ends:
                run("tc", "-n", hop, "qdisc", "replace", "dev", end, "root", "netem", "loss", "%g%%" % (100 * share))
        except Missing:
            for end in ends:
                run("ip", "-n", hop, "link", "set", end, "nomaster")
            self.emulator = self.stage.start("loss%d" % self.n, [self.stage.wan(), "--both", "loss=%g" % share, *ends], ns="hop")

    def keep(self):
        """Ends `lose`."""
        hop, ends = self.stage.ns("hop"), ("kdx%d" % self.n, "kdy%d" % self.n)
        if self.emulator is None:
            for end in ends:
                run("tc", "-n", hop, "qdisc", "del", "dev", end, "root")
            return
        self.stage.end(self.emulator)
        self.emulator = None
        for end in ends:
            run("ip", "-n", hop, "link", "set", end, "master", "kdb%d" % self.n)


class BackLink:
    """A path from the servers to a host behind them."""

    def __init__(self, stage, n):
        self.stage, self.n = stage, n
        self.interface, self.far = "kdu%d" % n, "10.96.%d.2" % n

    def cut(self, down=True):
        run("ip", "-n", self.stage.ns("hop"), "link", "set", "kdw%d" % self.n, "down" if down else "up")


# A run that was started with a lower priority (nice) keeps it.
POLITE = os.getpriority(os.PRIO_PROCESS, 0) > 0


def before_others(pid):
    """Gives processes of the drills the same higher priority, so that other programs of this machine disturb them less."""
    if POLITE:
        return
    try:
        os.setpriority(os.PRIO_PROCESS, pid, -10)
        with open("/proc/%d/autogroup" % pid, "w") as group:
            group.write("-10")
    except OSError:
        pass


def used_seconds(pids):
    """CPU time that these processes have used, in seconds."""
    return sum((stat_field(pid, 11) or 0) + (stat_field(pid, 12) or 0) for pid in pids) / os.sysconf("SC_CLK_TCK")


def session(leader):
    """The processes of a session, which is what survives a dead parent."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and stat_field(name, 3) == leader]


def parent(pid):
    return stat_field(pid, 1)


def stat_field(pid, index):
    """A number of /proc/PID/stat, counted from the state, which is 0; None when the process has ended."""
    try:
        with open("/proc/%s/stat" % pid) as stat:
            return int(stat.read().rpartition(")")[2].split()[index])
    except (OSError, ValueError, IndexError):
        return None


class Group:
    """A control group of one drill, version 1 or 2, whichever this machine mounts."""

    CONTROLLERS = {"cpu": "cpu", "memory": "memory", "reads": "blkio", "freezer": "freezer"}

    def __init__(self, stage, name, control):
        self.control, self.unified = control, os.path.exists(CGROUPS + "/cgroup.controllers")
        controller = self.CONTROLLERS[control]
        if self.unified and control == "freezer":
            self.path = "%s/%s-%s" % (CGROUPS, stage.tag, name)  # every group can be frozen, without a controller
        elif self.unified:
            controller = {"blkio": "io"}.get(controller, controller)
            with open(CGROUPS + "/cgroup.controllers") as offered:
                if controller not in offered.read().split():
                    raise Missing("control group %s: not offered in %s/cgroup.controllers" % (controller, CGROUPS))
            self.write(CGROUPS + "/cgroup.subtree_control", "+" + controller)
            self.path = "%s/%s-%s" % (CGROUPS, stage.tag, name)
        else:
            base = "%s/%s" % (CGROUPS, controller)
            if not os.path.isdir(base):
                raise Missing("control group %s: not mounted at %s" % (controller, base))
            self.path = "%s/%s-%s" % (base, stage.tag, name)
        os.mkdir(self.path)
        stage.groups.append(self)

    def doors(self):
        return [self.path + "/cgroup.procs"]

    def take(self, pids):
        """Moves processes into the group; one that has just ended is left out."""
        for pid in pids:
            if os.path.exists("/proc/%d" % pid):
                self.set("cgroup.procs", str(pid))

    def limit(self, amount):
        """cpu: cores; memory: bytes; reads: bytes a second. None: no limit."""
        if self.control == "cpu":
            if self.unified:
                self.set("cpu.max", "max 100000" if amount is None else "%d 100000" % (amount * 100_000))
            else:
                self.set("cpu.cfs_period_us", "100000")
                self.set("cpu.cfs_quota_us", "-1" if amount is None else "%d" % (amount * 100_000))
        elif self.control == "memory":
            self.set("memory.max" if self.unified else "memory.limit_in_bytes", ("max" if self.unified else "-1") if amount is None else str(amount))
        else:
            major, minor = self.disk
            if self.unified:
                self.set("io.max", "%d:%d rbps=%s" % (major, minor, "max" if amount is None else amount))
            else:
                self.set("blkio.throttle.read_bps_device", "%d:%d %d" % (major, minor, amount or 0))

    def weigh(self, share):
        """Gives the group this many times the usual share of the CPUs."""
        if self.unified:
            self.set("cpu.weight", str(100 * share))
        else:
            self.set("cpu.shares", str(1024 * share))

    def freeze(self, frozen):
        """Stops all processes of the group, or lets them run again."""
        if self.unified:
            self.set("cgroup.freeze", "1" if frozen else "0")
        else:
            self.set("freezer.state", "FROZEN" if frozen else "THAWED")

    disk = (0, 0)

    def on_disk_of(self, path):
        """Chooses the device of a file: the whole disk, because partitions cannot be throttled."""
        device = os.stat(path).st_dev
        major, minor = os.major(device), os.minor(device)
        entry = "/sys/dev/block/%d:%d" % (major, minor)
        if not os.path.exists(entry):
            raise Missing("%s: on no block device of this machine (its reads cannot be throttled)" % path)
        if os.path.exists(entry + "/partition"):
            with open(os.path.join(os.path.dirname(os.path.realpath(entry)), "dev")) as whole:
                major, minor = map(int, whole.read().split(":"))
        self.disk = (major, minor)
        return self

    def set(self, name, value):
        self.write("%s/%s" % (self.path, name), value)

    @staticmethod
    def write(path, value):
        try:
            with open(path, "w") as out:
                out.write(value)
        except OSError as e:
            raise Missing("%s: cannot be set to %s (%s)" % (path, value, e.strerror)) from e

    def remove(self):
        for _ in range(50):
            try:
                os.rmdir(self.path)
                return
            except FileNotFoundError:
                return
            except OSError:
                time.sleep(0.1)
