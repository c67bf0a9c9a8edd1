"""The visitors' own figures of each mirror, from the lines that uneven.py writes."""

import statistics

BLOCK = 5      # seconds, as the centre compares
NEEDED = 20    # requests of a mirror in a block, without which it is not compared by time


class Visits:
    def __init__(self, path, mirrors):
        self.path, self.mirrors = path, mirrors

    def rows(self, since, until):
        """(time, seconds, status, number of the mirror) of the visits that began in this time and were answered by a mirror or by none (-1)."""
        found = []
        with open(self.path) as lines:
            for line in lines:
                part = line.split()
                if len(part) == 5 and since <= float(part[0]) < until:
                    found.append((float(part[0]), float(part[1]), part[2], int(part[3][1:]) - 1 if part[3][1:].isdigit() else -1))
        return found

    def seen(self, since, until):
        """Of each mirror: requests a second, share of all, median and 95th percentile in milliseconds, share of failures."""
        rows, told = self.rows(since, until), []
        for n in range(self.mirrors):
            own = [r for r in rows if r[3] == n]
            millis = sorted(1000 * r[1] for r in own)
            told.append({"perSecond": round(len(own) / max(1e-9, until - since), 1), "share": round(len(own) / max(1, len(rows)), 3),
                "medianMillis": round(statistics.median(millis), 1) if millis else None,
                "p95Millis": round(millis[int(0.95 * (len(millis) - 1))], 1) if millis else None,
                "failed": round(sum(not r[2].startswith("2") for r in own) / max(1, len(own)), 4)})
        return {"mirrors": told, "unanswered": sum(r[3] < 0 for r in rows)}

    def comparable(self, since, until):
        """Share of the blocks in which three mirrors or more had enough requests to be compared."""
        counts = {}
        for at, _, _, mirror in self.rows(since, until):
            if mirror >= 0:
                block = counts.setdefault(int((at - since) // BLOCK), [0] * self.mirrors)
                block[mirror] += 1
        blocks = int((until - since) // BLOCK)
        return sum(sum(n >= NEEDED for n in counts.get(b, ())) >= 3 for b in range(blocks)) / max(1, blocks)
