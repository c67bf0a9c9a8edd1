"""Figure 4.3: response times with and without the agent, and the spread of the runs."""

import json
import os
import sys

import records

NAMES = {"without": "without", "rep2": "with rep2 (host half)", "agent": "with the whole agent",
         "fresh": "with a whole agent just started",
         "plain": "with a whole agent that does not yield"}
SHARES = (("median", 0.5), ("p90", 0.9), ("p99", 0.99))
POINTS = 500
# Two-sided 95 % of Student's t for the paired differences of ten rounds (nine degrees of freedom).
STUDENT = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26}


def micros(value):
    return f"{value:,.0f}"


def main(work, out, rounds, warm, *cases):
    rounds = range(1, int(rounds) + 1)
    runs = {case: [sorted(map(int, open(f"{work}/{case}-{n}.micros"))) for n in rounds] for case in cases}
    for case in cases:
        every = sorted(value for run in runs[case] for value in run)
        with open(f"{work}/cdf-{case}.dat", "w", encoding="utf-8") as dat:
            for i in range(POINTS + 1):
                share = min(1, max(1 / len(every), i / POINTS))
                dat.write(f"{records.quantile(every, share) / 1000:g} {share:g}\n")
    with open(f"{out}/results.md", "w", encoding="utf-8") as text:
        text.write("# Figure 4.3 on this machine\n\n" + open(f"{work}/conditions.md").read() + "\n")
        late, failed, worst = punctuality(work, cases, rounds)
        busy = records.busy(late, sum(len(run) for case in cases for run in runs[case]))
        text.write(busy)
        text.write(f"Each agent ran under the same load for {warm} s before the first round and was stopped in the runs without it; "
                   "*just started*: started about ten seconds before its run.\n\n")
        text.write("T_r in microseconds: the mean of the runs' values ± their standard deviation, and (lowest to highest run).\n\n")
        values = {
            case: {name: [records.quantile(run, share) for run in runs[case]] for name, share in SHARES} for case in cases}
        rows = []
        for case in cases:
            cell = lambda v: f"{micros(records.mean(v))} ± {micros(records.deviation(v))} ({micros(min(v))} to {micros(max(v))})"
            rows.append([NAMES[case], len(runs[case]), sum(map(len, runs[case]))]
                        + [cell(values[case][name]) for name, _ in SHARES] + [cost(work, case, rounds)])
        records.table(text, ["", "runs", "responses"] + [name for name, _ in SHARES] + ["agent's CPU, % of one core"], rows)
        text.write("The difference to the run without an agent in the same round, in microseconds: mean, its 95 % interval, "
                   "and for comparison the spread (standard deviation) of the runs without an agent.\n\n")
        rows = []
        for case in cases[1:]:
            for name, _ in SHARES:
                pairs = [with_ - without for with_, without in zip(values[case][name], values["without"][name])]
                half = STUDENT.get(len(pairs) - 1, 2.0) * records.deviation(pairs) / len(pairs) ** 0.5
                spread = records.deviation(values["without"][name])
                middle = records.mean(pairs)
                rows.append([NAMES[case], name, f"{middle:+,.1f}", f"{middle - half:+,.1f} to {middle + half:+,.1f}",
                             f"{spread:,.1f}", "not judged" if busy else "yes" if abs(middle) <= spread else "no",
                             f"{100 * middle / records.mean(values['without'][name]):+.1f} %"])
        records.table(text, ["", "", "difference", "95 % interval", "spread without an agent", "within the spread", "relative to the value"], rows)
        text.write(f"Visitors sent more than 5 ms late: {late} of {sum(len(r) for c in cases for r in runs[c])} "
                   f"(worst {worst / 1000:.1f} ms); failed visits: {failed}.\n")


def cost(work, case, rounds):
    shares = []
    for n in rounds:
        if os.path.exists(f"{work}/ticks-{case}-{n}"):
            seconds = json.load(open(f"{work}/load-{case}-{n}.out"))["came"] / 300
            shares.append(float(open(f"{work}/ticks-{case}-{n}").read()) / seconds)
    return f"{records.mean(shares):.2f}" if shares else "–"


def punctuality(work, cases, rounds):
    loads = [json.load(open(f"{work}/load-{case}-{n}.out")) for case in cases for n in rounds]
    return (sum(load["late"] for load in loads),
            sum(load["refused"] + load["timedOut"] + load["broken"] + load["turnedAway"] for load in loads),
            max(load["latestMicros"] for load in loads))


if __name__ == "__main__":
    main(*sys.argv[1:])
