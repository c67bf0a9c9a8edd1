"""What the agents of bench organizer got: objects a second by distance, agents and what they asked over."""

import json
import sys

work, out, seconds, loss, congestion, stack, connections = sys.argv[1:8]
cells = {}
for line in open(work + "/cells.txt"):
    rtt, agents, over = line.split()
    said = open("%s/cell-%s-%s-%s.out" % (work, rtt, agents, over)).read().strip().splitlines()
    cells[int(rtt), int(agents), over] = json.loads(said[-1])
conditions = open(work + "/conditions.md").read()


def ratio(a, b):
    return "–" if a is None or b is None or not b["objectsPerSecond"] else "%.2f" % (a["objectsPerSecond"] / b["objectsPerSecond"])


def rate(cell):
    return "–" if cell is None else "%.0f" % cell["objectsPerSecond"] if cell["objectsPerSecond"] >= 100 else "%.1f" % cell["objectsPerSecond"]


def times(cell):
    return "–" if cell is None else "%.0f / %.0f" % (cell["smallP50Micros"] / 1000, cell["smallP95Micros"] / 1000)


rows = []
for rtt, agents in sorted({(rtt, agents) for rtt, agents, _ in cells}):
    old, keep, line = (cells.get((rtt, agents, over)) for over in ("http10", "http11", "line"))
    failed = sum(cell["failures"] for cell in (old, keep, line) if cell)
    rows.append("| %d | %d | %s | %s | **%s** | %s | **%s** | %s | %s | %s | %s | %d |" % (
        rtt, agents, rate(old), rate(keep), rate(line), ratio(keep, old), ratio(line, old), ratio(line, keep), times(keep), times(line),
        "–" if line is None else "%.1f" % line["megabitsPerSecond"], failed))
with open(out + "/results.md", "w") as text:
    text.write("# The organizer's line: objects a second\n\n" + conditions + "\n")
    text.write("100 Mbit/s, queue 1,000 KB, loss %s, %s, stack %s; %s s measured a cell; the line has %s connections, keep-alive as many as there are agents. Objects of up to 10 KB: "
               "ms from asking to the last byte.\n\n" % (loss, congestion, stack, seconds, connections))
    text.write("| RTT, ms | agents | HTTP/1.0 | HTTP/1.1 | line | HTTP/1.1 : 1.0 | line : 1.0 | line : 1.1 | small, HTTP/1.1, p50 / p95 | small, line, p50 / p95 | line, Mbit/s | failed |\n")
    text.write("|---|---|---|---|---|---|---|---|---|---|---|---|\n" + "\n".join(rows) + "\n")
