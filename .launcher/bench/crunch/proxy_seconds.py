"""Prints the state of a proxy, a line each second until it is stopped: seconds since the epoch, its figures, its decision about the peak."""

import json
import sys
import time
import urllib.error
import urllib.request

BASE = "http://127.0.0.1:%s/control/v1/" % sys.argv[1]
STATS = ("requests", "hits", "stale", "diskHits", "diskAsked", "diskFound", "diskWritten", "diskUnread", "diskQueue", "cacheObjects", "diskRecords", "inFlight")


def told(page):
    try:
        with urllib.request.urlopen(BASE + page, timeout=5) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as missing:
        if missing.code == 404:
            return None
        raise


while True:
    now = time.time()
    stats = told("stats")
    print(json.dumps({"at": now, "stats": {key: stats.get(key) for key in STATS}, "peak": told("peak")}), flush=True)
    time.sleep(max(0, 1 - (time.time() - now)))
