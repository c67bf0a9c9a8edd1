"""Prints the use of a process and its children and the repeated SYNs of this network, a line each second until it is stopped: seconds since
the epoch, processor seconds, resident memory in KB, repeated SYNs."""

import os
import sys
import time

pid = sys.argv[1]
TICKS = os.sysconf("SC_CLK_TCK")


def family():
    """The process and its children, because nginx works in a child of the started process."""
    return [pid] + open("/proc/%s/task/%s/children" % (pid, pid)).read().split()


def processor_seconds(one):
    # The name, field 2, may hold spaces.
    fields = open("/proc/%s/stat" % one).read().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident(one):
    return next(int(line.split()[1]) for line in open("/proc/%s/status" % one) if line.startswith("VmRSS"))


def syns_repeated():
    names, values = (line.split() for line in open("/proc/net/netstat") if line.startswith("TcpExt:"))
    return int(dict(zip(names, values))["TCPSynRetrans"])


while True:
    now = time.time()
    try:
        family_now = family()
        print("%.3f %.2f %d %d" % (now, sum(map(processor_seconds, family_now)), sum(map(resident, family_now)), syns_repeated()), flush=True)
    except FileNotFoundError:
        break
    time.sleep(max(0, 1 - (time.time() - now)))
