"""bench check: lists the measured tables of docs/ that describe code that has changed since.

A measured section carries a marker, which a reader does not see:

    <!-- measured: COMMIT; bench: NAME -->

It holds for all tables up to the next marker or heading of the same or a higher level. A table is stale when git knows a change, after COMMIT, of a file in
one of the rooms that .launcher/bench/rooms lists for NAME (tests aside).
"""

import argparse
import os
import re
import subprocess
import sys

MARKER = re.compile(r"^<!-- measured: (\S+); bench: (\S+) -->$")
NOTE = re.compile(r"^\*Stale: .*\*$")
HEADING = re.compile(r"^(#+) ")
TABLE = re.compile(r"^\|[ :|-]*-[ :|-]*\|$")
# Documents in which every table is a measured one.
MEASURED = re.compile(r"^docs/(benchmarks\.md|papers/[^/]+/[^/]+\.md)$")
NOT_MEASURED = "none"  # a table that describes a set-up


def git(root, *arguments):
    done = subprocess.run(["git", "-C", root, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return done.stdout if done.returncode == 0 else None


def documents(root):
    for directory, folders, files in os.walk(os.path.join(root, "docs")):
        folders.sort()
        for name in sorted(files):
            if name.endswith(".md"):
                yield os.path.relpath(os.path.join(directory, name), root)


def rooms_by_name(root):
    with open(os.path.join(root, ".launcher/bench/rooms")) as text:
        rows = [line.split() for line in text if line.strip() and not line.startswith("#")]
    return {row[0]: row[1:] for row in rows}


class Section:
    def __init__(self, document, line, title, commit, name):
        self.document, self.line, self.title, self.commit, self.name = document, line, title, commit, name
        self.tables = 0


def sections(document, lines):
    """The marked sections of one document, and the lines of its tables that no marker covers."""
    found, bare, current, level, title, marked_at = [], [], None, 0, "", 0
    for number, line in enumerate(lines):
        heading = HEADING.match(line)
        if heading:
            level, title = len(heading.group(1)), line.lstrip("# ")
            if current and level <= marked_at:
                current = None
        marker = MARKER.match(line)
        if marker:
            current, marked_at = Section(document, number, title, marker.group(1), marker.group(2)), level
            found.append(current)
        elif TABLE.match(line):
            if current:
                current.tables += 1
            elif MEASURED.match(document):
                bare.append(number + 1)
    return found, bare


def changed_since(root, section, rooms):
    """Files of its rooms that changed since, except tests and documents; None when the commit is unknown here."""
    if not rooms:
        return []
    told = git(root, "diff", "--name-only", "--diff-filter=ACMDT", "--find-renames", section.commit, "HEAD", "--", *rooms)
    return None if told is None else [f for f in told.split() if "/src/test/" not in "/" + f and not f.endswith(".md")]


def mistakes_of(section, rooms):
    if section.name not in rooms:
        yield "%s:%d: bench: %s (expected: a name of .launcher/bench/rooms)" % (section.document, section.line + 1, section.name)
    if not section.tables:
        yield "%s:%d: a marker without a table below it" % (section.document, section.line + 1)


def note(section, files, root):
    when = git(root, "log", "-1", "--format=%cd", "--date=format:%-d %B %Y", section.commit) or ""
    return "*Stale: measured at %s (%s); %d file%s of what it measures changed since. `./komainu bench check` names them.*" % (
        section.commit, when.strip(), len(files), "" if len(files) == 1 else "s")


def mark(root, document, lines, stale):
    """Writes the note under the marker of each stale section and removes it from the others."""
    told, skip = [], 0
    for number, line in enumerate(lines):
        if skip:
            skip -= 1
            continue
        told.append(line)
        if MARKER.match(line):
            after = lines[number + 1:number + 3]
            if len(after) == 2 and not after[0].strip() and NOTE.match(after[1]):
                skip = 2
            if number in stale:
                told += ["", stale[number]]
    if told != lines:
        with open(os.path.join(root, document), "w") as out:
            out.write("\n".join(told) + "\n")


def main():
    parser = argparse.ArgumentParser(prog="./komainu bench check", allow_abbrev=False, description="Lists the measured tables that describe code that has changed since.")
    parser.add_argument("--mark", action="store_true", help="write a note into the documents beside each stale table, and remove it where the table is fresh")
    parser.add_argument("--markers", action="store_true", help="only check that every measured table has a marker whose rooms exist; needs no history")
    parser.add_argument("--files", action="store_true", help="name the files that changed")
    parser.add_argument("--root", required=True, help=argparse.SUPPRESS)
    args = parser.parse_args()
    rooms, stale_count, tables = rooms_by_name(args.root), 0, 0
    mistakes = [".launcher/bench/rooms: %s: %s (expected: a folder or file of the repository)" % (name, room)
        for name, folders in rooms.items() for room in folders if not os.path.exists(os.path.join(args.root, room))]
    for document in documents(args.root):
        with open(os.path.join(args.root, document)) as text:
            lines = text.read().splitlines()
        found, bare = sections(document, lines)
        mistakes += ["%s:%d: a measured table without a marker (expected above it: <!-- measured: COMMIT; bench: NAME -->)" % (document, n) for n in bare]
        stale = {}
        for section in found:
            mistakes += mistakes_of(section, rooms)
            tables += section.tables
            if args.markers:
                continue
            files = changed_since(args.root, section, rooms.get(section.name))
            if files is None:
                mistakes.append("%s:%d: commit %s is unknown here" % (document, section.line + 1, section.commit))
            elif files:
                stale[section.line] = note(section, files, args.root)
                stale_count += section.tables
                print("stale  %-40s %-50s %s, %d files changed" % ("%s:%d" % (document, section.line + 1), section.title[:50], section.commit, len(files)))
                if args.files:
                    print("".join("         %s\n" % f for f in files), end="")
        if args.mark:
            mark(args.root, document, lines, stale)
    for mistake in mistakes:
        print("komainu: bench check: " + mistake, file=sys.stderr)
    if not args.markers:
        print("%d measured tables, %d of them stale." % (tables, stale_count))
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
