"""A reader of the monitor's records (JSON lines), and the few statistics that the experiments need.

Python's own library only. Times are microseconds since 1970 as in the records.
"""

import json
import math


def read(path, *types):
    """The records of these types, in the order they were printed; a line cut by the end of the run is left out."""
    marks = ['"type":"%s"' % name for name in types]
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if any(mark in line[:60] for mark in marks):
                try:
                    yield json.loads(line)
                except json.JSONDecodeError:
                    if line.endswith("\n"):
                        raise


def quantile(ordered, share):
    """The value below which this share lies (nearest rank); the list must be sorted and not empty."""
    return ordered[min(len(ordered) - 1, max(0, math.ceil(share * len(ordered)) - 1))]


def mean(values):
    return sum(values) / len(values)


def deviation(values):
    """Sample standard deviation; 0 for a single value."""
    if len(values) < 2:
        return 0.0
    middle = mean(values)
    return math.sqrt(sum((v - middle) ** 2 for v in values) / (len(values) - 1))


def millis(micros):
    """Three significant digits: 0.214, 3.21, 321."""
    value = micros / 1000
    digits = 3 if value < 1 else 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:,.{digits}f}"


def busy(late, sent):
    """The warning for a run on a busy machine; empty when the load was on time."""
    if late * 200 <= sent:
        return ""
    return (f"**The machine was busy with other programs** ({100 * late / sent:.0f} % of the visitors were sent more than 5 ms late): "
            "counts and ratios are valid, do not quote response times.\n\n")


class Grid:
    """Counts over two logarithmic axes, a fixed number of cells a decade."""

    def __init__(self, cells_a_decade):
        self.cells = cells_a_decade
        self.counts = {}

    def add(self, x, y):
        key = (math.floor(math.log10(x) * self.cells), math.floor(math.log10(y) * self.cells))
        self.counts[key] = self.counts.get(key, 0) + 1

    def write(self, path, scale=1.0):
        """x-from, x-to, y-from, y-to, share in percent: boxes for gnuplot."""
        total = sum(self.counts.values())
        with open(path, "w", encoding="utf-8") as out:
            for (x, y), count in sorted(self.counts.items()):
                edges = [10 ** (edge / self.cells) * scale for edge in (x, x + 1, y, y + 1)]
                out.write("%g %g %g %g %g\n" % (*edges, 100 * count / total))


def table(out, heads, rows):
    out.write("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads) + "\n")
    for row in rows:
        out.write("| " + " | ".join(str(cell) for cell in row) + " |\n")
    out.write("\n")


def blocks(path, found):
    """Two empty lines between two blocks, none at the end: gnuplot would count one more."""
    with open(path, "w") as data:
        data.write("\n\n".join(found))
