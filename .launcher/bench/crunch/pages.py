"""Page loads of bench pages, way by way."""

import json
import sys

import records

work, out, each = sys.argv[1:4]
TELL = {"http10": "HTTP/1.0 in parallel, through Squid", "http11": "persistent connections, through Squid", "line": "organizers, without push", "pages": "organizers, which push the objects of a page"}
cells = {}
for line in open(work + "/cells.txt"):
    rtt, visitors, way = line.split()
    cells[rtt, visitors, way] = [json.loads(row) for row in open("%s/cell-%s-%s-%s.out" % (work, rtt, visitors, way))]


def median(loads, what):
    return records.quantile(sorted(one[what] for one in loads), 0.5)


rows = []
for (rtt, visitors, way), loads in cells.items():
    first = cells.get((rtt, visitors, "http10"))
    rate = int(visitors) / records.mean([one["seconds"] for one in loads])
    base = int(visitors) / records.mean([one["seconds"] for one in first]) if first else 0
    rows.append((rtt, visitors, TELL[way], "%.2f" % rate, "%.2f" % (rate / base) if first else "–",
                 "%.0f" % (1000 * median(loads, "seconds")), "%.2f" % (median(first, "seconds") / median(loads, "seconds")) if first else "–",
                 "%.0f" % (1000 * records.quantile(sorted(one["seconds"] for one in loads), 0.9)), "%.0f" % (1000 * median(loads, "pageSeconds"))))

with open(out + "/results.md", "w") as text:
    text.write("# Page loads of ten objects\n\n" + open(work + "/conditions.md").read() + "\n")
    text.write("\n%s pages for each visitor, one after the other; 100 Mbit/s, BBR. The rate uses the mean time of a load; both ratios are to HTTP/1.0.\n\n" % each)
    records.table(text, ("RTT, ms", "visitors", "over", "pages/s", "ratio", "median, ms", "ratio of medians", "p90, ms", "page alone, ms"), rows)
