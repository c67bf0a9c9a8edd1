"""Many persistent connections, few of them in use at a time; then the processor time of each thread of their proxy. One JSON object."""

import json
import os
import random
import select
import socket
import sys
import time

PROXY, CONNECTIONS, RATE, SECONDS = (int(word) for word in sys.argv[1:5])
REQUEST = b"GET /object/1/10000/keep HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def threads():
    """Nanoseconds of processor time so far, summed by the name of the thread."""
    took = {}
    for task in os.listdir("/proc/%d/task" % PROXY):
        try:
            name = open("/proc/%d/task/%s/comm" % (PROXY, task)).read().strip()
            took[name] = took.get(name, 0) + int(open("/proc/%d/task/%s/schedstat" % (PROXY, task)).read().split()[0])
        except FileNotFoundError:
            pass
    return took


def stolen():
    return [int(word) for word in open("/proc/stat").readline().split()[1:9]]



poll = select.epoll()
clients, waiting, left = {}, {}, {}
for n in range(CONNECTIONS):
    client = socket.create_connection(("127.0.0.1", 7680), timeout=30)
    # A connection without any request is closed after connections.head-timeout.
    client.sendall(REQUEST)
    came = b""
    while b"\r\n\r\n" not in came or len(came) < 10004 + came.index(b"\r\n\r\n"):
        piece = client.recv(65536)
        if not piece:
            raise SystemExit("management: closed after %d bytes of a response" % len(came))
        came += piece
    client.setblocking(False)
    clients[client.fileno()] = client
    poll.register(client.fileno(), select.EPOLLIN)
numbers, chance, answered, times, closed = list(clients), random.Random(1), 0, [], 0


def serve(until):
    """Sends requests at their due times, and reads responses when they arrive."""
    global answered, closed
    due = time.monotonic()
    while due < until:
        now = time.monotonic()
        while due <= now and due < until:
            due += chance.expovariate(RATE)
            number = chance.choice(numbers)
            if number not in waiting:
                waiting[number], left[number] = time.monotonic(), None
                clients[number].send(REQUEST)
        for number, _ in poll.poll(max(0, min(due, until) - time.monotonic())):
            piece = clients[number].recv(65536)
            if not piece:
                closed += 1
                poll.unregister(number)
                numbers.remove(number)
                waiting.pop(number, None)
                continue
            if left[number] is None:
                left[number] = 10000 + piece.index(b"\r\n\r\n") + 4
                times.append(time.monotonic() - waiting[number])
            left[number] -= len(piece)
            if left[number] == 0:
                del waiting[number]
                answered += 1


serve(time.monotonic() + SECONDS)
answered, times = 0, []
before, begun, cpu = threads(), time.monotonic(), stolen()
serve(begun + SECONDS)
took, after, cpu_after = time.monotonic() - begun, threads(), stolen()
times.sort()
print(json.dumps({
    "seconds": took,
    "threads": {name: (after[name] - before.get(name, 0)) / 1e9 for name in after},
    "answered": answered,
    "closed": closed,
    "p50Millis": times[len(times) // 2] * 1e3,
    "p99Millis": times[int(len(times) * 0.99)] * 1e3,
    "stolenPercent": 100 * (cpu_after[7] - cpu[7]) / max(1, sum(cpu_after) - sum(cpu))}))
