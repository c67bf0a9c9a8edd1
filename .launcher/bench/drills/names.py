"""A name server with one address for every name; after SIGUSR1 it responds NXDOMAIN, after SIGUSR2 as before."""

import signal
import socket
import struct
import sys

known = True


def know(value):
    global known
    known = value


def answer(question):
    """RFC 1035 section 4: the header and the question repeated, and one A record with 127.0.0.1."""
    end = 12
    while question[end]:
        end += question[end] + 1
    end += 5  # the root label, type and class
    asked = question[12:end]
    found = known and asked[-4:-2] == b"\0\1"
    head = question[:2] + struct.pack(">HHHHH", 0x8180 if known else 0x8183, 1, int(found), 0, 0)
    record = b"\xc0\x0c\0\1\0\1" + struct.pack(">IH", 1, 4) + socket.inet_aton("127.0.0.1")
    return head + asked + (record if found else b"")


signal.signal(signal.SIGUSR1, lambda *_: know(False))
signal.signal(signal.SIGUSR2, lambda *_: know(True))
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
    door.bind(("127.0.0.1", int(sys.argv[1])))
    while True:
        question, client = door.recvfrom(512)
        try:
            door.sendto(answer(question), client)
        except (IndexError, OSError):
            pass
