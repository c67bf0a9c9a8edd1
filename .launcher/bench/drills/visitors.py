"""Visitors that the open load does not provide: TLS clients that check the certificate, and health checks without a request."""

import os
import subprocess
import sys

PROGRAM = os.path.abspath(__file__)


class Certificates:
    """A temporary authority and its certificates, and another authority that no visitor trusts."""

    def __init__(self, directory):
        self.dir = directory
        os.makedirs(directory, exist_ok=True)
        os.chmod(directory, 0o755)
        for name in ("authority", "stranger"):
            self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=drill " + name,
                "-keyout", self.path(name + ".key"), "-out", self.path(name + ".pem"))
        self.authority = self.path("authority.pem")

    def of(self, name, another=False):
        """(certificate, key) of a server of this name."""
        ca, request, key, certificate = "stranger" if another else "authority", self.path(name + ".csr"), self.path(name + ".key"), self.path(name + ".pem")
        if not os.path.exists(certificate):
            self.openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=" + name, "-keyout", key, "-out", request)
            with open(self.path(name + ".ext"), "w") as extension:
                extension.write("subjectAltName=DNS:%s\n" % name)
            self.openssl("x509", "-req", "-in", request, "-CA", self.path(ca + ".pem"), "-CAkey", self.path(ca + ".key"), "-CAcreateserial", "-days", "2",
                "-extfile", self.path(name + ".ext"), "-out", certificate)
        return certificate, key

    def path(self, name):
        return os.path.join(self.dir, name)

    @staticmethod
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def tls_visitors(d, number, rate, authority, name):
    """Starts visitors that request pages over TLS, each on a connection of its own, and trust one authority only."""
    return d.stage.start("%s-visitors-tls%d" % (d.drill.name, number), [sys.executable, "-B", PROGRAM, "tls", "%s:%d" % (d.link.server, d.watched.port),
        d.link.clients, rate, authority, name], ns="client")


def health_checks(d, rate):
    """From the onset to the cure: half of the checks reset the connection, half close it."""
    begun = []
    d.onset(lambda: begun.append(d.stage.start("%s-checks" % d.drill.name, [sys.executable, "-B", PROGRAM, "checks", "%s:%d" % (d.link.server, d.watched.port),
        d.link.clients, rate], ns="client")))
    d.cure(lambda: [d.stage.end(process, 1) for process in begun])


# ---- run as a program -----------------------------------------------------------------------------------------------


def addresses(text):
    first, _, count = text.partition("+")
    head, _, last = first.rpartition(".")
    return ["%s.%d" % (head, int(last) + i) for i in range(int(count))]


async def come(rate, visit):
    """Calls visit(n) by a Poisson process of this rate, without end."""
    import asyncio
    import random
    chance, loop, n = random.Random(7), asyncio.get_running_loop(), 0
    due, running = loop.time(), set()
    while True:
        due += chance.expovariate(rate)
        await asyncio.sleep(max(0, due - loop.time()))
        task = loop.create_task(visit(n))
        running.add(task)
        task.add_done_callback(running.discard)
        n += 1


def tls(target, clients, rate, authority, name):
    import asyncio
    import ssl
    host, _, port = target.rpartition(":")
    trust, sources = ssl.create_default_context(cafile=authority), addresses(clients)

    async def visit(n):
        try:
            async with asyncio.timeout(8):
                reader, writer = await asyncio.open_connection(host, int(port), ssl=trust, server_hostname=name, local_addr=(sources[n % len(sources)], 0))
                writer.write(b"GET /page/%d.html HTTP/1.1\r\nHost: drill\r\nConnection: close\r\n\r\n" % (1 + n % 8))
                await reader.read()
                writer.close()
                await writer.wait_closed()
        except (OSError, asyncio.TimeoutError, ssl.SSLError):
            pass

    asyncio.run(come(float(rate), visit))


def checks(target, clients, rate):
    import asyncio
    import socket
    import struct
    host, _, port = target.rpartition(":")
    sources = addresses(clients)

    async def visit(n):
        loop = asyncio.get_running_loop()
        with socket.socket() as check:
            check.setblocking(False)
            check.bind((sources[n % len(sources)], 0))
            try:
                async with asyncio.timeout(3):
                    await loop.sock_connect(check, (host, int(port)))
            except (OSError, asyncio.TimeoutError):
                return
            if n % 2:
                check.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    asyncio.run(come(float(rate), visit))


if __name__ == "__main__":
    {"tls": tls, "checks": checks}[sys.argv[1]](*sys.argv[2:])
