"""The data of figures as CSV, and the figures drawn from it.

    keep  SCRIPT WORK OUT NAME=VALUE …   the files that SCRIPT.gp reads become OUT/data/*.csv, then the figure is drawn from them
    draw  OUT                            every figure of a folder, from its data/

data/figures lists, a line each, the script and its settings; paths are relative to the folder. A file of several blocks (gnuplot's index)
has the block's title as its first column.
"""

import csv
import os
import re
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def columns():
    """Names of columns by script and file, from the file `columns`; a pattern may end in *."""
    with open(HERE + "/columns", encoding="utf-8") as text:
        rows = [line.rstrip("\n").split("\t") for line in text if line.strip() and not line.startswith("#")]
    return [(re.compile(re.escape(row[0]).replace(r"\*", ".*")), row[1].split(",")) for row in rows]


def names_of(script, file, width):
    for pattern, names in columns():
        if pattern.fullmatch(script + "/" + file) and len(names) == width:
            return names
    return ["column %d" % (n + 1) for n in range(width)]


def read_by(script, server):
    """The files in its directory `in` that a script reads; some are named after a server."""
    with open("%s/%s.gp" % (HERE, script), encoding="utf-8") as text:
        return sorted(set(re.findall(r"in\.'/([\w.-]+)'", text.read().replace("in.'/'.server.'", "in.'/" + server))))


def blocks_of(path):
    """[(title or None, [row, …]), …] of a gnuplot data file."""
    found, title, rows = [], None, []
    with open(path, encoding="utf-8") as text:
        for line in text.read().split("\n"):
            if not line.strip():
                if rows or title is not None:
                    found.append((title, rows))
                title, rows = None, []
            elif not rows and title is None and line.lstrip().startswith('"') and len(shlex.split(line)) == 1:
                title = shlex.split(line)[0]
            else:
                rows.append(shlex.split(line) if '"' in line else line.split())
    return found + ([(title, rows)] if rows or title is not None else [])


def to_csv(script, source, target):
    found = blocks_of(source)
    width = max((len(row) for _, rows in found for row in rows), default=0)
    titled = len(found) > 1 or any(title is not None for title, _ in found)
    with open(target, "w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow((["series"] if titled else []) + names_of(script, os.path.basename(source), width))
        for number, (title, rows) in enumerate(found):
            for row in rows:
                writer.writerow(([title if title is not None else str(number + 1)] if titled else []) + row)


def from_csv(source, target):
    with open(source, encoding="utf-8", newline="") as text:
        head, *rows = list(csv.reader(text))
    with open(target, "w", encoding="utf-8") as out:
        before = None
        for row in rows:
            if head[0] == "series":
                series, row = row[0], row[1:]
                if series != before:
                    out.write(("\n\n" if before is not None else "") + ('"%s"\n' % series if not series.isdigit() else ""))
                    before = series
            out.write(" ".join('"%s"' % word if not re.fullmatch(r"[-+.\w]+", word) else word for word in row) + "\n")


def keep(script, work, out, settings):
    data = os.path.join(out, "data")
    os.makedirs(data, exist_ok=True)
    kept, server = [], next((s[7:] for s in settings if s.startswith("server=")), "")
    for setting in settings:
        name, _, value = setting.partition("=")
        if name == "out" or not os.path.exists(value):
            kept.append("%s=%s" % (name, os.path.relpath(value, out) if name == "out" else value))
            continue
        for file in read_by(script, server) if os.path.isdir(value) else [os.path.basename(value)]:
            path = os.path.join(value, file) if os.path.isdir(value) else value
            if file.endswith(".txt"):
                with open(path, encoding="utf-8") as text, open(os.path.join(data, file), "w", encoding="utf-8") as copy:
                    copy.write(text.read())
            else:
                to_csv(script, path, os.path.join(data, file + ".csv"))
        kept.append("%s=data%s" % (name, "" if os.path.isdir(value) else "/" + os.path.basename(value)))
    line = shlex.join([script, *kept])
    listing = os.path.join(data, "figures")
    lines = open(listing, encoding="utf-8").read().splitlines() if os.path.exists(listing) else []
    if line not in lines:
        with open(listing, "a", encoding="utf-8") as out_list:
            out_list.write(line + "\n")
    draw_line(out, line)


def draw_line(out, line):
    script, *settings = shlex.split(line)
    with tempfile.TemporaryDirectory(prefix="komainu-figures.") as work:
        data = os.path.join(out, "data")
        for name in os.listdir(data):
            if name.endswith(".csv"):
                from_csv(os.path.join(data, name), os.path.join(work, name[:-4]))
            elif name.endswith(".txt"):
                with open(os.path.join(data, name), encoding="utf-8") as text, open(os.path.join(work, name), "w", encoding="utf-8") as copy:
                    copy.write(text.read())
        told = ["here='%s'" % HERE]
        for setting in settings:
            name, _, value = setting.partition("=")
            if name == "out":
                value = os.path.normpath(os.path.join(out, value))
            elif value == "data" or value.startswith("data/"):
                value = work + value[4:]
            told.append("%s='%s'" % (name, value.replace("'", "''")))
        subprocess.run(["gnuplot", "-e", ";".join(told), "%s/%s.gp" % (HERE, script)], check=True)


def draw(out):
    listing = os.path.join(out, "data", "figures")
    if not os.path.exists(listing):
        print("komainu: bench figures: %s: no data kept (its experiment was run before figures kept theirs); run it again" % os.path.basename(out), file=sys.stderr)
        return 1
    for line in open(listing, encoding="utf-8").read().splitlines():
        draw_line(out, line)
        print("%s: %s" % (os.path.basename(out), line))
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "keep":
        keep(sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:])
    else:
        sys.exit(max([draw(os.path.abspath(out)) for out in sys.argv[2:]], default=0))
