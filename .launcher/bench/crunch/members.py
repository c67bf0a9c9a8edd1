"""agree WHAT SINCE NUMBER…: queries these members until all report the same table of exactly these; prints WHAT and the seconds since SINCE.
table FILE: prints a table of such lines: median and slowest of each WHAT, in the order of their first lines."""

import http.client
import json
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor

TOKEN = "the-bench-asks-with-this"
PERIOD = 0.1
LONGEST = 120
MOST_AT_ONCE = 4


def told(number, network="10.77.0."):
    """Digest and members as one member reports them; None when it does not respond."""
    address = f"{network}{number}"
    try:
        line = http.client.HTTPConnection(address, 7692, timeout=2)
        line.request("GET", "/control/v1/members", headers={"Authorization": f"Bearer {TOKEN}"})
        answer = line.getresponse()
        page = json.loads(answer.read())
        line.close()
    except (OSError, ValueError, http.client.HTTPException):
        return None
    return page.get("digest"), tuple(sorted(member["member"] for member in page.get("members", [])))


def agree(what, since, numbers):
    """Waits for agreement. Only few are queried at a time while they disagree, because thirty queries ten times a second would be a load."""
    expected = tuple(sorted(f"m{number}" for number in numbers))
    due = list(numbers)
    with ThreadPoolExecutor(len(numbers)) as threads:
        while time.time() - since < LONGEST:
            asked = time.time()
            some = due[:MOST_AT_ONCE]
            answers = list(threads.map(told, some))
            due = [number for number, answer in zip(some, answers) if answer is None or answer[1] != expected] + due[MOST_AT_ONCE:]
            if not due:
                everybody = set(threads.map(told, numbers))
                if len(everybody) == 1 and None not in everybody and next(iter(everybody))[1] == expected:
                    # All were queried in this round, so they agreed by its end at the latest.
                    print(f"{what}\t{time.time() - since:.2f}")
                    return 0
                due = list(numbers)
            if len(due) == len(numbers) or any(number in due for number in some):
                time.sleep(max(0.0, PERIOD - (time.time() - asked)))
        for number in numbers:
            print(f"m{number} reports {told(number)}", file=sys.stderr)
    return 1


def table(name):
    times = {}
    with open(name, encoding="utf-8") as lines:
        for line in lines:
            what, seconds = line.rstrip("\n").split("\t")
            times.setdefault(what, []).append(float(seconds))
    for what, all_of in times.items():
        print(f"| {what} | {len(all_of)} | {statistics.median(all_of):.1f} | {max(all_of):.1f} |")
    return 0


if __name__ == "__main__":
    if sys.argv[1] == "agree":
        sys.exit(agree(sys.argv[2], float(sys.argv[3]), sys.argv[4:]))
    sys.exit(table(sys.argv[2]))
