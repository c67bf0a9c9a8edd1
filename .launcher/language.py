#!/usr/bin/env python3
"""Counts in the Java sources what docs/developing.md ("Names and comments") limits.

language.py [--check] [--list] [--tests] [DIRECTORY …]

--check  exit code 1 when a count of the main sources is above its limit
--list   print each place
--tests  count the test sources instead
"""

import collections
import os
import re
import subprocess
import sys

TYPE = re.compile(
    r"^(?:(?:public|protected|private|static|final|abstract|sealed|non-sealed)\s+)*"
    r"(?:class|interface|enum|record|@interface)\s+([A-Z]\w*)"
)
TOKEN = re.compile(
    r'("""(?:\\.|(?!""")[\s\S])*""")|(/\*[\s\S]*?\*/)|(//[^\n]*)|("(?:\\.|[^"\\\n])*")|(\'(?:\\.|[^\'\\\n])*\')'
)
QUESTION = re.compile(r"(?:What|How|Who|Whom|Whose|Where|When|Which|Whether|Why)\b")
PERSON = re.compile(r"\b(?:nobody|somebody|whoever|whom)\b", re.I)
TAG = re.compile(r"(?<![{\w*\s])[ \t]+@(?:param|return|throws|see)\b")
# Why a name may stand twice.
TWICE = {}
LIMITS = {"names twice": 5, "type comments that begin with a question word": 0, "persons": 0, "misplaced tags": 0}


def sources(directories, tests):
    kind = "/test/java/" if tests else "/main/java/"
    files = subprocess.check_output(["git", "ls-files", "*.java"], text=True).split("\n")
    for file in files:
        inside = kind in "/" + file and (not directories or any(file.startswith(one) for one in directories))
        if inside and os.path.basename(file) != "package-info.java":
            yield file


def main(arguments):
    listed = "--list" in arguments
    tests = "--tests" in arguments
    directories = [one for one in arguments if not one.startswith("--")]
    found = {name: [] for name in LIMITS}
    types = collections.defaultdict(list)
    comments = 0
    for file in sources(directories, tests):
        with open(file, encoding="utf-8") as opened:
            text = opened.read()
        types[os.path.basename(file)[:-5]].append(file)

        def place(at):
            return f"{file}:{text.count(chr(10), 0, at) + 1}"

        for token in TOKEN.finditer(text):
            comment = token.group(2) or token.group(3)
            if not comment:
                continue
            for match in PERSON.finditer(comment):
                found["persons"].append(f"{place(token.start() + match.start())}: {match.group()}")
            if not comment.startswith("/**"):
                continue
            body = re.sub(r"\s*\n\s*\*?\s?", "\n", comment[3:-2]).strip()
            for match in TAG.finditer(re.sub(r"\n(?=@)", "\n\n", body).replace("\n@", "\n \n@")):
                found["misplaced tags"].append(f"{place(token.start())}: {match.group().strip()}")
            rest = text[token.end() :].lstrip()
            rest = re.sub(r"^(?://[^\n]*\s*|@\w+(?:\((?:[^()\"]|\"(?:\\.|[^\"])*\"|\([^()]*\))*\))?\s+)*", "", rest)
            if TYPE.match(rest):
                comments += 1
                if QUESTION.match(body):
                    found["type comments that begin with a question word"].append(
                        f"{place(token.start())}: {body.splitlines()[0]}"
                    )
    for name, files in types.items():
        if len(files) > 1 and name not in TWICE:
            found["names twice"].append(f"{name}: {' '.join(files)}")
    above = False
    print(f"{sum(map(len, types.values()))} files, {comments} type comments")
    for name, places in found.items():
        print(f"{len(places):5} {name} (at most {LIMITS[name]})")
        if listed:
            print("".join(f"      {one}\n" for one in places), end="")
        above |= len(places) > LIMITS[name]
    return 1 if above and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
