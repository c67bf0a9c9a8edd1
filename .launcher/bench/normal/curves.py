"""Draws the curves of a sweep: right causes and false alarms by factor, a small picture for each threshold that changes them.

    curves.py OUT FIGURES       OUT/curves.csv becomes OUT/thresholds.svg
"""

import csv
import os
import subprocess
import sys
import tempfile

COLUMNS = 4


def changing(path):
    """The rows of each threshold whose right causes or false alarms depend on the factor."""
    curves = {}
    with open(path, encoding="utf-8", newline="") as text:
        for row in csv.DictReader(text):
            curves.setdefault((row["rule"], row["measure"]), []).append(row)
    return {name: rows for name, rows in curves.items() if len({(row["right"], row["alarms"]) for row in rows}) > 1}


def main(out, figures):
    curves = changing(out + "/curves.csv")
    if not curves:
        print("No threshold changes a result; no curves are drawn.")
        return
    lines = -(-len(curves) // COLUMNS)
    with tempfile.TemporaryDirectory() as work:
        told = ["here='%s'" % figures, "load here.'/style.gp'", "set term svg size %d,%d font 'sans-serif,9' background rgb '#ffffff'" % (260 * COLUMNS, 190 * lines + 40),
            "set output '%s/thresholds.svg'" % out, "set multiplot layout %d,%d title 'Right first (%%, blue) and false alarms an hour (red) by factor'" % (lines, COLUMNS),
            "set logscale x", "set xrange [0.3:3.3]", "set xtics (0.33, 0.5, 1, 2, 3)", "set yrange [0:105]", "set y2range [0:*]", "set y2tics nomirror", "unset key", "set border 11 lc rgb '#444444'"]
        for n, ((rule, measure), rows) in enumerate(curves.items()):
            data = os.path.join(work, "%d.dat" % n)
            with open(data, "w", encoding="utf-8") as text:
                for row in rows:
                    faults = int(row["faults"])
                    text.write("%s %s %s\n" % (row["factor"], 100 * int(row["right"]) / faults if faults else "nan", row["alarmsPerHour"]))
            told.append("set title \"%s\\n%s %s\" noenhanced font ',9'" % (rule, measure, next(row["mark"] for row in rows if float(row["factor"]) == 1)))
            told.append("set arrow 1 from 1, graph 0 to 1, graph 1 nohead lc rgb GREY dt 2")
            told.append("plot '%s' using 1:2 with linespoints pt 7 ps 0.3 lc rgb BLUE, '' using 1:3 axes x1y2 with linespoints pt 7 ps 0.3 lc rgb RED" % data)
        subprocess.run(["gnuplot"], input="\n".join(told + ["unset multiplot"]), text=True, check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
