"""A small HTTP server in front of chdb, an engine of ClickHouse in a process: as much of ClickHouse's HTTP interface as the
store uses. Arguments: directory of the data. Prints its port."""

import os
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from chdb import session

DIRECTORY = sys.argv[1]
SESSION = session.Session(os.path.join(DIRECTORY, "data"))
INSERT = "INSERT INTO "
# Parameters of the request that are not settings.
OWN = {"query", "database", "wait_end_of_query"}
known = {}
one_at_a_time = threading.Lock()


def apply(parameters):
    for name, values in parameters.items():
        if name not in OWN and known.get(name) != values[0]:
            SESSION.query("SET %s = %s" % (name, values[0]))
            known[name] = values[0]
    if "database" in parameters:
        SESSION.query("USE " + parameters["database"][0])


def insert(query, body):
    """The rows come as a file, since chdb reads no input."""
    table = query[len(INSERT) :].split()[0]
    columns = SESSION.query("DESCRIBE TABLE " + table, "TSV").bytes().decode()
    structure = ", ".join(" ".join(line.split("\t")[:2]) for line in columns.splitlines())
    with tempfile.NamedTemporaryFile(dir=DIRECTORY) as rows:
        rows.write(body)
        rows.flush()
        SESSION.query("INSERT INTO %s SELECT * FROM file('%s', 'RowBinary', '%s')" % (table, rows.name, structure))
    return b""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        parameters = parse_qs(urlsplit(self.path).query)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            query = parameters.get("query", [""])[0]
            with one_at_a_time:
                apply(parameters)
                result = insert(query, body) if query.startswith(INSERT) else SESSION.query(body.decode()).bytes()
            self.answer(200, result or b"")
        except Exception as failure:  # every kind that chdb has
            self.answer(500, str(failure).encode())

    def do_GET(self):
        self.answer(200, b"Ok.\n")

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
