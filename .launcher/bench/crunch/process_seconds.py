"""What a process took and how often SYNs were repeated in this network, a line each second until it is told to end: seconds since the epoch,
processor seconds of the process, its resident memory in KB, SYNs sent again."""

import os
import sys
import time

pid = sys.argv[1]
TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds():
    # The name, field 2, may hold spaces.
    fields = open("/proc/%s/stat" % pid).read().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident():
    return next(int(line.split()[1]) for line in open("/proc/%s/status" % pid) if line.startswith("VmRSS"))


def syns_repeated():
    names, values = (line.split() for line in open("/proc/net/netstat") if line.startswith("TcpExt:"))
    return int(dict(zip(names, values))["TCPSynRetrans"])


while True:
    now = time.time()
    try:
        print("%.3f %.2f %d %d" % (now, processor_seconds(), resident(), syns_repeated()), flush=True)
    except FileNotFoundError:
        break
    time.sleep(max(0, 1 - (time.time() - now)))
