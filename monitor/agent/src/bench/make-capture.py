"""Writes capture files of HTTP connections for docs/benchmarks.md. Same arguments, same bytes.

make-capture.py FILE PACKETS              each connection from an address and port of its own; 1 to 4 requests, answers of 1 to
                                          14 full segments, an ACK for every second one
make-capture.py FILE --reused CONNECTIONS addresses and ports in turn from TUPLES = 60,100 of them, so that most are used twice
                                          or more; 1 to 11 requests, answers of 0 to 6 full segments and an odd one,
                                          their last ACK on the next request

200 connections live at a time.
"""
import random
import struct
import sys

ETHERNET = b"\2\0\0\0\0\1\2\0\0\0\0\2\x08\0"
SERVER = bytes([10, 0, 0, 80])
SEGMENT = b"x" * 1448
TUPLES = 60_100
SYN, SYN_ACK, ACK, PSH_ACK, FIN_ACK = 2, 18, 16, 24, 17


def checksum(header):
    total = sum(struct.unpack(">%dH" % (len(header) // 2), header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def frame(micros, src, sport, dst, dport, seq, ack, flags, payload):
    ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(payload), 0, 0x4000, 64, 6, 0, src, dst)
    ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
    tcp = struct.pack(">HHIIBBHHH", sport, dport, seq & 0xFFFFFFFF, ack & 0xFFFFFFFF, 0x50, flags, 64000, 0, 0)
    data = ETHERNET + ip + tcp + payload
    return struct.pack("<IIII", micros // 1000000, micros % 1000000, len(data), len(data)) + data


def connection(number):
    host = bytes([10, 1 + (number >> 16), (number >> 8) & 255, number & 255])
    return talk((host, 1024 + number % 60000), number, (1, 1, 2, 4), (1, 2, 4, 7, 14), b"")


def reused(number):
    place = number % TUPLES
    host = bytes([10, 9, 0, 1 + place % 50])
    return talk((host, 1024 + place // 50), number, (1, 1, 2, 4, 8, 11), (0, 1, 2, 3, 6), SEGMENT[:400])


def talk(client, number, requests, sizes, odd):
    server = (SERVER, 80)
    a, b = random.getrandbits(32), random.getrandbits(32)
    yield (*client, *server, a, 0, SYN, b"")
    yield (*server, *client, b, a + 1, SYN_ACK, b"")
    a += 1
    b += 1
    yield (*client, *server, a, b, ACK, b"")
    count = random.choice(requests)
    for left in range(count, 0, -1):
        request = b"GET /item/%d HTTP/1.1\r\nHost: example.test\r\nUser-Agent: load/1\r\nAccept: */*\r\n\r\n" % (number % 997)
        yield (*client, *server, a, b, PSH_ACK, request)
        a += len(request)
        segments = random.choice(sizes)
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % (
            segments * len(SEGMENT) + len(odd))
        head += odd
        yield (*server, *client, b, a, PSH_ACK, head)
        b += len(head)
        for segment in range(segments):
            yield (*server, *client, b, a, ACK, SEGMENT)
            b += len(SEGMENT)
            if segment & 1:
                yield (*client, *server, a, b, ACK, b"")
        if left == 1 or not odd:
            yield (*client, *server, a, b, ACK, b"")
    yield (*client, *server, a, b, FIN_ACK, b"")
    yield (*server, *client, b, a + 1, FIN_ACK, b"")
    yield (*client, *server, a + 1, b + 1, ACK, b"")


def main(path, connections, packets):
    random.seed(7)
    opening = reused if connections else connection
    live, opened, written, micros = [], 0, 0, 1_790_000_000_000_000
    with open(path, "wb", buffering=1 << 22) as out:
        out.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        while True:
            while len(live) < 200 and (opened < connections or written < packets):
                live.append(opening(opened))
                opened += 1
            if not live:
                break
            chosen = random.randrange(len(live))
            try:
                fields = next(live[chosen])
            except StopIteration:
                live[chosen] = live[-1]
                live.pop()
                continue
            micros += random.randrange(1, 40)
            out.write(frame(micros, *fields))
            written += 1
    print(written, "packets", opened, "connections")


if sys.argv[2] == "--reused":
    main(sys.argv[1], int(sys.argv[3]), 0)
else:
    main(sys.argv[1], 0, int(sys.argv[2]))
