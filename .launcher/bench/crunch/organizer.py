"""The results of the agents of bench organizer: objects a second by distance, agents and transport."""

import json
import sys

import records

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
    squid, old, keep, h2, line = (cells.get((rtt, agents, over)) for over in ("squid", "http10", "http11", "h2", "line"))
    failed = sum(cell["failures"] for cell in (squid, old, keep, h2, line) if cell)
    rows.append("| %d | %d | %s | %s | %s | %s | **%s** | %s | **%s** | **%s** | **%s** | %s | %s | %s | %s | %d |" % (
        rtt, agents, rate(squid), rate(old), rate(keep), rate(h2), rate(line), ratio(keep, old), ratio(line, squid), ratio(line, old), ratio(line, keep), ratio(line, h2),
        times(keep), times(line), "–" if line is None else "%.1f" % line["megabitsPerSecond"], failed))
with open(out + "/results.md", "w") as text:
    text.write("# The organizer's line: objects a second\n\n" + conditions + "\n")
    text.write("100 Mbit/s, queue 1,000 KB, loss %s, %s, stack %s; %s s measured a cell; the line has %s connections, keep-alive has one for each agent, HTTP/2 (nginx) one. Objects of up to "
               "10 KB: ms from the request to the last byte.\n\n" % (loss, congestion, stack, seconds, connections))
    text.write("| RTT, ms | agents | HTTP/1.0 through Squid | HTTP/1.0 | HTTP/1.1 | HTTP/2 | line | HTTP/1.1 : 1.0 | line : Squid | line : 1.0 | line : 1.1 | line : HTTP/2 "
               "| small, HTTP/1.1, p50 / p95 | small, line, p50 / p95 | line, Mbit/s | failed |\n")
    text.write("|" + 16 * "---|" + "\n" + "\n".join(rows) + "\n")

    others = [(rtt, agents, over, cell) for (rtt, agents, over), cell in sorted(cells.items()) if over in ("quic", "auto")]
    if others:
        text.write("\nLines over QUIC (quic: one connection; auto: transport chosen by the line), with TLS:\n\n| RTT, ms | agents | | objects/s | : line | : 1.1 | small, p50 / p95 | agents' CPU, µs an object "
                   "| transport at the end | failed |\n|" + 10 * "---|" + "\n")
        for rtt, agents, over, cell in others:
            text.write("| %d | %d | %s | **%s** | %s | %s | %s | %.0f | %s | %d |\n" % (
                rtt, agents, over, rate(cell), ratio(cell, cells.get((rtt, agents, "line"))), ratio(cell, cells.get((rtt, agents, "http11"))), times(cell),
                cell["agentCpuMicrosPerObject"], ", ".join(sorted({one["over"] for one in cell["line"]})), cell["failures"]))

# The ratio to the rate of HTTP/1.0 through Squid, otherwise of HTTP/1.0: a block for each distance.
base = "squid" if any(over == "squid" for _, _, over in cells) else "http10"


def times_base(rtt, agents, over):
    cell, old = cells.get((rtt, agents, over)), cells.get((rtt, agents, base))
    return "%f" % (cell["objectsPerSecond"] / old["objectsPerSecond"]) if cell and old and old["objectsPerSecond"] else "nan"


records.blocks(work + "/ratios.dat", [
    '"RTT %d ms"\n' % rtt + "".join("%d %s\n" % (agents, " ".join(times_base(rtt, agents, over) for over in ("http11", "h2", "line")))
                                    for agents in sorted({a for r, a, _ in cells if r == rtt}))
    for rtt in sorted({rtt for rtt, _, _ in cells})])
