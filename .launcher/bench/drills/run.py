"""bench drills: real servers, real visitors, one fault each; the state that the platform named, and the time until then."""

import argparse
import fnmatch
import os
import shlex
import shutil
import signal
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import catalogue
import cures
import drawn
import errors  # noqa: F401 (enters its drills in the catalogue)
import parts  # noqa: F401 (enters its drills in the catalogue)
import report
import servers
import walk
from drawn_results import DrawnResults
from drawn_run import DrawnRun
from drill import Run
from stage import Missing, Stage, before_others
from watch import Watch

STAGGER = 2  # seconds between the onsets of drills that run side by side
LONG_STAGGER = 10  # the same, of drills that last: the just-in-time compilers of many programs at once need a whole processor


def options():
    parser = argparse.ArgumentParser(prog="./komainu bench drills", allow_abbrev=False)
    parser.add_argument("--only", default="", metavar="NAMES", help="these drills, separated by commas; * and ? are wildcards")
    parser.add_argument("--out", required=True, metavar="DIR", help="directory of results.md, results.json and records")
    parser.add_argument("--alone", action="store_true", help="one fault at a time; otherwise faults that do not affect each other run at the same time")
    parser.add_argument("--wave", type=int, default=6, metavar="N", help="servers that run at a time, 1 to 30 (default 6)")
    parser.add_argument("--cures", action="store_true", help="the wizard's advice is applied, verified and undone; with useless and harmful changes")
    parser.add_argument("--walk", action="store_true", help="with --cures: from the mail of the alert, in a browser")
    parser.add_argument("--undisturbed", type=float, metavar="MINUTES", help="no fault at all for this time, on one server of each kind")
    parser.add_argument("--drawn", metavar="SEEDS", help="drills drawn by seeds: 1-120 or 2,4,30-40")
    parser.add_argument("--half", choices=["worked", "judged"], help="with --drawn: the even seeds (worked) or the odd ones (judged)")
    parser.add_argument("--part", metavar="N/M", help="with --drawn: every M-th seed, from the N-th on")
    parser.add_argument("--resume", action="store_true", help="with --drawn: seeds that have a result in --out are not run again")
    parser.add_argument("--traps", type=float, metavar="MINUTES", help="each trap for this time, on one server each")
    parser.add_argument("--groups", type=int, default=2, metavar="N", help="with --traps: groups, one after the other (default 2: all at the same time are much work for two processors)")
    parser.add_argument("--record", action="store_true", help="keep every record of the agents and the output of each part (records/)")
    parser.add_argument("--list", action="store_true", help="print the names of the drills")
    for hidden in ("recording", "measured", "browser", "missing", "central", "agent", "proxy", "load", "jdk", "wan"):
        parser.add_argument("--" + hidden, default="", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if not 1 <= args.wave <= 30:
        parser.error("--wave: %d (expected: 1 to 30)" % args.wave)
    if args.undisturbed is not None and not 0 < args.undisturbed <= 1440:
        parser.error("--undisturbed: %g (expected: above 0 to 1440 minutes)" % args.undisturbed)
    if not 1 <= args.groups <= 30:
        parser.error("--groups: %d (expected: 1 to 30)" % args.groups)
    if args.cures and args.undisturbed is not None:
        parser.error("--cures: together with --undisturbed (expected: one of them)")
    if args.walk and not args.cures:
        parser.error("--walk: without --cures")
    if args.traps is not None and not 0 < args.traps <= 1440:
        parser.error("--traps: %g (expected: above 0 to 1440 minutes)" % args.traps)
    if sum(bool(chosen) for chosen in (args.drawn, args.traps or args.undisturbed, args.cures)) > 1:
        parser.error("--drawn, --traps, --undisturbed, --cures: more than one (expected: one of them, or --traps with --undisturbed)")
    if (args.half or args.part or args.resume) and not args.drawn:
        parser.error("--half, --part, --resume: without --drawn")
    if args.part:
        number, _, parts = args.part.partition("/")
        if not (number.isdigit() and parts.isdigit() and 1 <= int(number) <= int(parts)):
            parser.error("--part: %s (expected: N/M, such as 1/4)" % args.part)
        args.part = int(number), int(parts)
    try:
        args.seeds = drawn.seeds_of(args.drawn, args.half, args.part) if args.drawn else []
    except ValueError as e:
        parser.error(str(e))
    return args


def chosen(args):
    if args.drawn:
        done = DrawnResults(args.out).done() if args.resume else ()
        return [drawn.drill_of(drawn.Draw(seed)) for seed in args.seeds if seed not in done]
    if args.traps:
        drills = drawn.traps_for(args.traps) + (catalogue.undisturbed(args.undisturbed) if args.undisturbed else [])
        args.wave = -(-len(drills) // args.groups)
        return drills
    drills = catalogue.undisturbed(args.undisturbed) if args.undisturbed else cures.drills() if args.cures else catalogue.DRILLS
    if args.walk:
        drills = [d for d in drills if walk.can_be_walked(d)]
    if args.undisturbed:
        args.wave = len(drills)  # one after the other would take as many hours
    if not args.only:
        return drills
    wanted = [name.strip() for name in args.only.split(",") if name.strip()]
    found = [d for d in drills if any(fnmatch.fnmatch(d.name, name) for name in wanted)]
    for name in wanted:
        if not any(fnmatch.fnmatch(d.name, name) for d in drills):
            raise SystemExit("komainu: --only: %s (expected: names of ./komainu bench drills --list)" % name)
    return found


def waves(drills, size):
    """Phases of drills that may run at the same time, in waves of servers that run together. Those that need the machine come last."""
    side_by_side = [d for d in drills if d.phase == "quiet"]
    count = -(-len(side_by_side) // size)
    # Every count-th drill: neighbours in the list are of one kind, and a wave should contain different kinds.
    made = [side_by_side[n::count] for n in range(count)]
    rest = [d for d in drills if d.phase != "quiet"]
    # A drill that occupies the machine would be a fault of all running servers, so only drills of one phase run together here.
    for phase in dict.fromkeys(d.phase for d in rest):
        made.append([d for d in rest if d.phase == phase])
    return made


def together(runs, step, stagger=0.0):
    threads = []
    for run in runs:
        threads.append(threading.Thread(target=run.guarded, args=(getattr(run, step),), daemon=True))
        threads[-1].start()
        time.sleep(stagger)
    for thread in threads:
        while thread.is_alive():
            thread.join(0.5)


def wave(drills, args, stage, watch, links):
    runs = [(walk.Walk if args.walk else cures.CureRun if args.cures else DrawnRun if hasattr(d, "draw") else Run)(d, stage, watch, shlex.split(args.load), links["plain"], links[d.name]) for d in drills]
    say("Setting up %s …" % ", ".join(d.name for d in drills))
    together(runs, "set_up", LONG_STAGGER if args.traps else 0.3)
    together(runs, "settle")
    phases = []
    for run in runs:
        if args.alone or run.drill.phase not in phases:
            phases.append(run.drill.name if args.alone else run.drill.phase)
    for phase in phases:
        now = [r for r in runs if phase in (r.drill.phase, r.drill.name) and not r.reason and not hasattr(r, "t0")]
        if not now:
            continue
        say("Drilling %s …" % ", ".join(r.drill.name for r in now))
        together(now, "induce", LONG_STAGGER if args.traps else STAGGER)
    for run in runs:
        run.ended = time.time()
    tearing = [threading.Thread(target=r.tear_down, daemon=True) for r in runs]
    for thread in tearing:
        thread.start()
    for thread in tearing:
        thread.join()
    for run in runs:
        say("  " + report.line(run.result))
    return [run.result for run in runs]


def prepare(args, drills, stage):
    """Creates the networks of all drills before the agent starts, because the agent needs their interfaces."""
    stage.namespace("server")
    stage.namespace("client")
    stage.enter("server")
    links = {"plain": stage.link()}
    probed = {}
    for d in drills:
        try:
            if getattr(d, "draw", None) and d.draw.backend_host:
                d.back = stage.back_link()
            if d.named_port:
                d.port = stage.port()
            if d.link == "plain" and not d.far:
                links[d.name] = links["plain"]
                continue
            links[d.name] = stage.link(d.link, d.far, d.wan)
        except Missing as e:
            links[d.name] = e
    if any(d.far for d in drills):
        stage.cable("client", "kdm1", "server", "kdm2")
        stage.address("client", "kdm1", "10.97.0.2")
        stage.address("server", "kdm2", "10.97.0.1")
        for link in links.values():
            if not isinstance(link, Missing) and link.far:
                link.port = stage.port()
                probed[link.outer] = ["%s:%d" % (link.server, link.port)]
    return links, probed


def say(text):
    print(text, flush=True)


def not_run(drill, reason):
    return {"name": drill.name, "server": drill.server, "fault": drill.fault, "expected": drill.expected, "run": False, "reason": reason}


def main():
    args = options()
    drills = chosen(args)
    if args.list:
        for d in drills:
            if args.drawn:
                print("  %s → %s%s" % (d.draw.line(), d.expected, "".join(" or " + also for also in d.accepted[1:])))
                continue
            print("  %-22s %-22s %-20s %s" % (d.name, d.expected, d.server, d.fault))
        return 0
    missing = dict(pair.split("=", 1) for pair in args.missing.split(";") if pair)
    drawn_results = DrawnResults(args.out, args.measured)
    results = [not_run(d, "; ".join("%s is missing: %s" % (n, missing[n]) for n in d.needs if n in missing)) for d in drills if any(n in missing for n in d.needs)]
    drills = [d for d in drills if not any(n in missing for n in d.needs)]
    os.makedirs(args.out, exist_ok=True)
    servers.Tomcat.jdk = args.jdk
    work = tempfile.mkdtemp(prefix="komainu-drills.")
    os.chmod(work, 0o755)
    stage = Stage(work, args.wan)
    begun, load_before = time.time(), os.getloadavg()
    watch = Watch(stage, {"central": shlex.split(args.central), "agent": shlex.split(args.agent)}, args.record, cures.LENGTHS if args.cures else None, drawn_results.arguments(begun, work) if args.recording and not args.cures else ())
    if args.cures:
        cures.guard_sysctl(stage)
    if args.walk:
        watch.central += walk.Walk.arguments(watch.port)
    servers.Komainu.java, servers.Komainu.token = shlex.split(args.proxy), work + "/tokens/ingest.token"
    servers.Komainu.central = "http://127.0.0.1:%d" % watch.port
    interrupted = False
    before_others(os.getpid())
    try:
        links, probed = prepare(args, drills, stage)
        results += [not_run(d, str(links[d.name])) for d in drills if isinstance(links[d.name], Missing)]
        drills = [d for d in drills if not isinstance(links[d.name], Missing)]
        if args.drawn or args.traps:
            DrawnRun.allowed = drawn_results.allowed(work)
            drawn_results.add(results)
        say("Starting the central service and the agent …")
        watch.start([link.interface for link in dict.fromkeys(links.values()) if not isinstance(link, Missing) and not link.far]
            + [d.back.interface for d in drills if d.back], probed, [d.port for d in drills if d.port])
        if args.walk:
            walk.Walk.prepare(watch, args.browser, args.out + "/shots")
        for part in waves(drills, args.wave):
            made = wave(part, args, stage, watch, links)
            results += made
            if args.drawn or args.traps:
                drawn_results.add(made)
    except Missing as e:
        print("komainu: drills: %s" % e, file=sys.stderr)
        return 1
    except (KeyboardInterrupt, SystemExit):
        interrupted = True
    finally:
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, signal.SIG_IGN)
        watch.stop()
        stage.clear()
        if args.record:
            os.makedirs(args.out + "/records", exist_ok=True)
            for name in os.listdir(work):
                if name.endswith(".log"):
                    shutil.copyfile("%s/%s" % (work, name), "%s/records/%s" % (args.out, name))
        if not args.cures:
            drawn_results.keep(begun, work, results)
        shutil.rmtree(work, ignore_errors=True)
    if interrupted:
        print("komainu: drills: stopped before the end; the report contains the completed drills", file=sys.stderr)
    conditions = {"measured": args.measured.replace("bench: drills", "bench: cures") if args.cures else args.measured, "begun": begun, "seconds": round(time.time() - begun), "load": load_before, "alone": args.alone, "polls": watch.polls,
        "longestGapSeconds": round(watch.longest_gap, 1), "only": args.only, "undisturbed": args.undisturbed, "cures": args.cures, "walk": args.walk}
    if args.drawn:
        results = drawn_results.of(args.seeds)
        print(report.write(args.out, results, conditions, drawn_results.page(results)))
    else:
        print(report.write(args.out, results, conditions))
    if interrupted:
        return 130
    return 0 if results and all(r["run"] and report.good(r) for r in results) else 1


def leave(number, frame):
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, signal.SIG_IGN)
    raise SystemExit(128 + number)


if __name__ == "__main__":
    for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ending, leave)
    sys.exit(main())
