"""bench mirrors: four real servers behind HAProxy; is the odd one of them named, and none of four equal ones?"""

import argparse
import os
import shlex
import shutil
import signal
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "drills")]

import results as page  # noqa: E402
from balanced import KINDS, TITLES, Site  # noqa: E402
from course import SETTLED_WITHIN, Equal, Odd  # noqa: E402
from findings import Findings  # noqa: E402
from oddities import EQUAL, ODDITIES  # noqa: E402
from stage import Missing, Stage, before_others  # noqa: E402
from visits import Visits  # noqa: E402
from watch import Watch  # noqa: E402

LEARNT = 120  # seconds of all mirrors before the first case: without them the centre cannot know that a mirror with more load has carried it


def options():
    parser = argparse.ArgumentParser(prog="./komainu bench mirrors", allow_abbrev=False)
    parser.add_argument("--only", default=",".join([*ODDITIES, EQUAL]), metavar="CASES")
    parser.add_argument("--servers", default=",".join(KINDS), metavar="KINDS")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--out", required=True)
    for hidden in ("measured", "central", "agent", "wan"):
        parser.add_argument("--" + hidden, default="", help=argparse.SUPPRESS)
    args = parser.parse_args()
    args.cases, args.kinds = args.only.split(","), args.servers.split(",")
    for given, option, known in ((args.cases, "--only", [*ODDITIES, EQUAL]), (args.kinds, "--servers", list(KINDS))):
        for name in given:
            if name not in known:
                parser.error("%s: %s (expected: some of %s)" % (option, name, ",".join(known)))
    if not 0 < args.minutes <= 1440:
        parser.error("--minutes: %g (expected: above 0 to 1440)" % args.minutes)
    return args


def say(text):
    print(text, flush=True)


def cases(args, sites, findings, visits):
    return [Equal(args.minutes, sites, findings, visits) if name == EQUAL else Odd(name, sites, findings, visits) for name in args.cases]


def prepare(args, stage):
    """Creates the networks before the agent starts, because the agent needs their interfaces."""
    for name in ("server", "client", "crowd"):
        stage.namespace(name)
    stage.enter("server")
    return [Site(stage, kind, n) for n, kind in enumerate(args.kinds)]


def perform(args, stage, watch, results):
    """Runs the cases; returns the polls and the longest gap between two of them."""
    sites = prepare(args, stage)
    say("Starting the central service and the agent …")
    watch.start([m.link.interface for s in sites for m in s.mirrors], {}, labels=[label for s in sites for label in s.labels()])
    say("Starting %s …" % ", ".join("four of %s" % TITLES[s.name] for s in sites))
    for site in sites:
        site.start()
    findings = Findings(watch, sites)
    try:
        made = cases(args, sites, findings, {s.name: Visits(s.visits, len(s.mirrors)) for s in sites})
        if not made[0].until(findings.complete, SETTLED_WITHIN):
            raise Missing("not all mirrors report within %d s" % SETTLED_WITHIN)
        made[0].until(lambda site: False, LEARNT)
        for number, case in enumerate(made):
            say("Case %s …" % case.name)
            try:
                found = case.run(number)
            except (Missing, OSError) as e:
                found = [{"case": case.name, "reason": str(e), "good": False}]
            except BaseException:
                results += getattr(case, "results", [])  # of a case that was stopped: as far as it went
                raise
            results += found
            for result in found:
                say("  " + page.line(result))
    finally:
        for site in sites:
            site.stopping.set()
        findings.stop()
        watch.polls, watch.longest_gap = findings.polls, findings.longest_gap


def main():
    args = options()
    os.makedirs(args.out, exist_ok=True)
    work = tempfile.mkdtemp(prefix="komainu-mirrors.")
    os.chmod(work, 0o755)
    stage, results, interrupted = Stage(work, args.wan), [], False
    begun, load_before = time.time(), os.getloadavg()
    watch = Watch(stage, {"central": shlex.split(args.central), "agent": shlex.split(args.agent)})
    before_others(os.getpid())
    try:
        perform(args, stage, watch, results)
    except Missing as e:
        print("komainu: mirrors: %s" % e, file=sys.stderr)
        return 1
    except (KeyboardInterrupt, SystemExit):
        interrupted = True
    finally:
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, signal.SIG_IGN)
        watch.stop()
        stage.clear()
        shutil.rmtree(work, ignore_errors=True)
    if interrupted:
        print("komainu: mirrors: stopped before the end; the report contains what was measured until then", file=sys.stderr)
    conditions = {"measured": args.measured, "begun": begun, "seconds": round(time.time() - begun), "load": load_before, "alone": True, "polls": watch.polls,
        "longestGapSeconds": round(watch.longest_gap, 1), "cases": args.cases, "servers": args.kinds}
    print(page.write(args.out, results, conditions))
    if interrupted:
        return 130
    return 0 if results and all(r["good"] for r in results) else 1


def leave(number, frame):
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, signal.SIG_IGN)
    raise SystemExit(128 + number)


if __name__ == "__main__":
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, leave)
    sys.exit(main())
