#!/usr/bin/env python3
"""Writes THIRD-PARTY.md: the libraries that the parts need at run time, with versions and licences.

  .launcher/third-party.py [--check] [--repository DIR]

Reads what a build leaves: MODULE/target/lib, the POM files of Maven's local repository (default: ~/.m2/repository), and
admin-ui/package-lock.json with admin-ui/node_modules. Needs no network. --check writes nothing; exit code 1 when the page
differs. Exit code 3 when the tree is not built.
"""
import argparse
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "THIRD-PARTY.md"
PARTS = {
    "central": "src",
    "proxy": "proxy-core/proxy",
    "organizer": "proxy-core/organizer",
    "load": "proxy-core/load",
    "agent": "monitor/agent",
}

# SPDX identifiers for the names that POM files use.
SPDX = [
    (r"apache.*2|^ASL 2", "Apache-2.0"),
    (r"^The MIT|^MIT|^Bouncy Castle Licence$", "MIT"),
    (r"BSD.*2-clause|2-clause.*BSD|BSD-2", "BSD-2-Clause"),
    (r"BSD.*3-clause|3-clause.*BSD|BSD-3|EDL 1\.0|Eclipse Distribution", "BSD-3-Clause"),
    (r"EPL 1\.0|EPL-1|Eclipse Public License.*1\.0", "EPL-1.0"),
    (r"EPL 2\.0|EPL-2|Eclipse Public License.*2\.0", "EPL-2.0"),
    (r"GPL2 w/ CPE|GPL-2\.0-with-classpath", "GPL-2.0-with-classpath-exception"),
    (r"MPL 2\.0|Mozilla Public License.*2", "MPL-2.0"),
    (r"LGPL-?2\.1|Lesser General Public License.*2\.1|^GNU Lesser General Public License$", "LGPL-2.1"),
    (r"CC0|Public Domain", "CC0-1.0"),
]

# Machine code and copied code inside a library, as the library's own META-INF or manual states it.
INSIDE = {
    "netty-tcnative-boringssl-static": "BoringSSL (Apache-2.0), a part of Apache Tomcat Native (Apache-2.0)",
    "netty-codec-native-quic": "quiche (BSD-2-Clause), BoringSSL (Apache-2.0)",
    "zstd-jni": "Zstandard (BSD-3-Clause)",
    "jackson-core": "FastDoubleParser (MIT), Schubfach (MIT)",
    "spring-core": "ASM (BSD-3-Clause), CGLIB, JavaPoet, Objenesis (Apache-2.0)",
    "duckdb_jdbc": "DuckDB (MIT) with its own third-party code",
}


def child(element, name):
    return next((each for each in element if each.tag.split("}")[-1] == name), None)


def text(element, name):
    found = None if element is None else child(element, name)
    return None if found is None or found.text is None else found.text.strip()


def licences(repository, group, artifact, version, depth=0):
    """The names in the POM, else in its parent's."""
    pom = repository / group.replace(".", "/") / artifact / version / f"{artifact}-{version}.pom"
    if depth > 8 or not pom.exists():
        return []
    project = xml.parse(pom).getroot()
    block = child(project, "licenses")
    names = [] if block is None else [text(each, "name") or text(each, "url") or "?" for each in block]
    if names:
        return names
    parent = child(project, "parent")
    if parent is None:
        return []
    return licences(repository, text(parent, "groupId"), text(parent, "artifactId"), text(parent, "version"), depth + 1)


def spdx(name):
    return next((known for pattern, known in SPDX if re.search(pattern, name, re.IGNORECASE)), name)


def jars():
    """The parts that need each jar file, without Komainu's own."""
    needed = {}
    for part, module in PARTS.items():
        found = sorted((ROOT / module / "target/lib").glob("*.jar"))
        if not found:
            print(f"{module}/target/lib: empty (expected: a built tree; ./komainu build)", file=sys.stderr)
            sys.exit(3)
        for jar in found:
            if not jar.name.startswith("komainu-"):
                needed.setdefault(jar.name, []).append(part)
    return needed


def java_rows(repository):
    needed = jars()
    places = {path.name: path.parent for path in repository.rglob("*.jar") if path.name in needed}
    rows = {}
    for jar, parts in needed.items():
        place = places.get(jar)
        if place is None:
            print(f"{jar}: not in {repository} (expected: Maven's local repository; --repository)", file=sys.stderr)
            sys.exit(3)
        group = ".".join(place.parent.parent.relative_to(repository).parts)
        artifact, version = place.parent.name, place.name
        names = sorted({spdx(name) for name in licences(repository, group, artifact, version)})
        row = rows.setdefault((group, artifact, version), (names, set()))
        row[1].update(parts)
    for (group, artifact, version), (names, parts) in sorted(rows.items()):
        licence = " or ".join(names) or "not stated"
        yield f"| {group}:{artifact} | {version} | {licence} | {', '.join(part for part in PARTS if part in parts)} | {INSIDE.get(artifact, '')} |"


def console_rows():
    lock = json.loads((ROOT / "admin-ui/package-lock.json").read_text())
    for path, package in sorted(lock["packages"].items()):
        if not path or any(package.get(kind) for kind in ("dev", "devOptional", "optional", "peer")):
            continue
        name = path.split("node_modules/")[-1]
        licence = package.get("license")
        if licence is None:
            licence = json.loads((ROOT / "admin-ui" / path / "package.json").read_text()).get("license", "not stated")
        yield f"| {name} | {package['version']} | {licence} | {copyright_of(ROOT / 'admin-ui' / path)} |"


def copyright_of(package):
    """The first line of the package's licence file that names an owner."""
    for file in sorted(package.glob("*")):
        if file.is_file() and re.match(r"(?i)(licen[cs]e|copying)", file.name):
            for line in file.read_text(errors="replace").splitlines():
                if re.match(r"(?i)\W*copyright\W+(\(c\)|©|\d)", line) and "[yyyy]" not in line:
                    return line.strip(" *#").replace("|", "\\|")
    return ""


# Data files of other projects in the source tree.
DATA = [
    "| `src/main/resources/access/common-passwords.txt.gz` | Django 5.2 (`common-passwords.txt.gz`), changed | BSD-3-Clause | Copyright (c) Django Software Foundation and individual contributors |",
    "| the same file | zxcvbn-python 4.5.0 (list of passwords), changed | MIT | Copyright (c) 2016 Daniel Wolf; Copyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc. |",
]


def page(repository):
    java, console = list(java_rows(repository)), list(console_rows())
    return "\n".join([
        "# Third-party software",
        "",
        "The libraries that Komainu's parts load at run time. This page is generated by `.launcher/third-party.py`;",
        "[developing](docs/developing.md#third-party-software) tells how. [NOTICE](NOTICE) has the notices of their authors.",
        "",
        f"## Java: {len(java)} libraries",
        "",
        "`or`: the POM file names several licences. Inside: machine code of other projects, and copied code.",
        "",
        "| library | version | licence | parts | inside |",
        "|---|---|---|---|---|",
        *java,
        "",
        "## Data",
        "",
        "Both lists as one: lower case, 4 to 72 characters, sorted, without duplicates.",
        "",
        "| file | origin | licence | owner |",
        "|---|---|---|---|",
        *DATA,
        "",
        f"## Console: {len(console)} packages",
        "",
        "Runtime dependencies of `admin-ui/package.json`, with theirs. The bundler takes only the code that the console uses.",
        "",
        "| package | version | licence | owner, as its licence file says |",
        "|---|---|---|---|",
        *console,
        "",
    ])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare only")
    parser.add_argument("--repository", type=pathlib.Path, default=pathlib.Path.home() / ".m2/repository", help="Maven's local repository")
    given = parser.parse_args()
    wanted = page(given.repository)
    if given.check:
        same = PAGE.exists() and PAGE.read_text() == wanted
        if not same:
            print("THIRD-PARTY.md: differs (fix: .launcher/third-party.py)", file=sys.stderr)
        sys.exit(0 if same else 1)
    PAGE.write_text(wanted)


if __name__ == "__main__":
    main()
