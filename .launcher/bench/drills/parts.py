"""Drills of parts of the host: file systems, links, one CPU for all packets (thesis 6.1.1).

A small ext4 in a file, mounted in the server's directory, stands for the disk that fills or fails: each visitor's request writes a file there and
removes it. `Disk` leaves nothing behind.
"""

import os
import time

from catalogue import drill
from servers import Apache, Nginx
from stage import Missing, run

WRITING = "/app?write=16"
INODES = 256


class Disk:
    """A small file system in a file, mounted at DIR/disk."""

    def __init__(self, d, server, megabytes=48):
        self.image, self.at = server.dir + "/disk.img", server.dir + "/disk"
        os.makedirs(self.at, exist_ok=True)
        with open(self.image, "wb") as image:
            image.truncate(megabytes << 20)
        run("mkfs.ext4", "-q", "-F", "-m", "0", "-N", str(INODES), "-e", "remount-ro", self.image)
        d.stage.undo(self.unmount)
        self.mount()

    def mount(self):
        run("mount", "-o", "loop", self.image, self.at)
        os.chmod(self.at, 0o1777)

    def unmount(self):
        if os.path.ismount(self.at):
            run("umount", "-l", self.at)

    def fill(self):
        """Writes until no byte is left."""
        with open(self.at + "/filler", "wb", buffering=0) as filler:
            for size in (1 << 20, 4096, 1):
                try:
                    while filler.write(b"f" * size):
                        pass
                except OSError:
                    continue

    def take_inodes(self):
        """Creates files until no inode is left."""
        for n in range(2 * INODES):
            try:
                open("%s/small%d" % (self.at, n), "x").close()
            except OSError:
                return

    def free(self):
        for name in os.listdir(self.at):
            if name.startswith(("filler", "small")):
                os.remove(self.at + "/" + name)

    def remount(self, how):
        for attempt in range(50):
            try:
                return run("mount", "-o", "remount," + how, self.at)
            except Missing:  # busy while a request has a file open for writing
                if attempt == 49:
                    raise
                time.sleep(0.1)

    def break_down(self):
        """Lets the kernel meet an error of this file system, as a damaged block would."""
        device = run("findmnt", "-n", "-o", "SOURCE", self.at).strip().removeprefix("/dev/")
        with open("/sys/fs/ext4/%s/trigger_fs_error" % device, "w") as trigger:
            trigger.write("a drill")

    def repair(self):
        self.unmount()
        time.sleep(0.5)
        try:
            run("e2fsck", "-fy", self.image)
        except Missing:
            pass  # exit code 1: errors were corrected; a mount that fails tells the rest
        self.mount()


def with_disk(d):
    server = d.serve(Apache, workers=40)
    disk = Disk(d, server)
    d.visitors(20, WRITING)
    return disk


@drill("prefork-disk-full", "Apache prefork", "the file system that its requests write to is filled", "saturated/disk", ["apache2"], phase="disk-full")
def disk_full(d):
    disk = with_disk(d)
    d.onset(disk.fill)
    d.cure(disk.free)


@drill("prefork-no-inodes", "Apache prefork", "small files take all inodes of the file system that its requests write to", "saturated/disk", ["apache2"], phase="no-inodes")
def no_inodes(d):
    disk = with_disk(d)
    d.onset(disk.take_inodes)
    d.cure(disk.free)


@drill("prefork-read-only", "Apache prefork", "mount -o remount,ro of the file system that its requests write to", "saturated/disk", ["apache2"], phase="read-only")
def read_only(d):
    disk = with_disk(d)
    d.onset(lambda: disk.remount("ro"))
    d.cure(lambda: disk.remount("rw"))


@drill("prefork-disk-error", "Apache prefork", "an error of the file system that its requests write to (trigger_fs_error): the kernel stops writing", "saturated/disk", ["apache2"], phase="disk-error")
def disk_error(d):
    disk = with_disk(d)
    d.onset(disk.break_down)
    d.cure(disk.repair)


@drill("nginx-link-down", "nginx", "the cable at the server's own interface is pulled; the agent on its host still reports", "unreachable", ["nginx"], link="hop")
def link_down(d):
    d.serve(Nginx).pages(1, 2_000)
    d.visitors(15, "/page/1.html", patience=5)
    d.onset(lambda: d.link.cut())
    d.cure(lambda: d.link.cut(False))


# Each send is one packet of many segments, which the receiver's CPU takes apart: the sender needs little time for it.
# The large send buffer keeps the sender from waiting for the receiver, as a sender on another machine does not wait. Each burst
# is longer than the receiver's queue (netdev_max_backlog, 1,000), and the pause leaves the sender's CPU to the server.
FLOOD = """
import os, socket, sys, time
os.sched_setaffinity(0, {0})
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_UDP, 103, 16)  # UDP_SEGMENT
s.setsockopt(socket.SOL_SOCKET, 32, 1 << 28)  # SO_SNDBUFFORCE
data, to = b"f" * 16 * 100, (sys.argv[1], 9)
while True:
    for _ in range(1200):
        try:
            s.sendto(data, to)
        except OSError:
            pass
    time.sleep(0.025)
"""

SINK = """
import signal, socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind((sys.argv[1], 9))
signal.pause()
"""


@drill("nginx-softirq", "nginx", "a flood of small UDP packets, all processed by CPU 1 (rps_cpus)", "saturated/cpu", ["nginx"], phase="softirq")
def softirq(d):
    if (os.cpu_count() or 1) < 2:
        raise Missing("one CPU: another that is idle is needed")
    d.serve(Nginx).pages(1, 2_000)
    d.visitors(20, "/page/1.html", patience=5)
    flood = []

    def begin():
        d.stage.steer(d.link.interface, "2")
        flood.append(d.stage.start("nginx-softirq-sink", ["python3", "-c", SINK, d.link.server]))
        time.sleep(0.3)
        flood.append(d.stage.start("nginx-softirq-flood", ["python3", "-c", FLOOD, d.link.server], ns="client"))

    def end():
        while flood:
            d.stage.end(flood.pop(), 1)
        d.stage.steer(d.link.interface, "0")

    d.onset(begin)
    d.cure(end)
