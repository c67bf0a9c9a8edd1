"""What the central service says of the groups of mirrors, asked once a second over REST, as a console would ask."""

import threading
import time
import urllib.parse


class Findings:
    def __init__(self, watch, sites):
        self.watch, self.sites = watch, sites
        self.lock, self.stopping = threading.Lock(), threading.Event()
        self.polls, self.longest_gap, self.members = 0, 0.0, {}
        self.named = {site.name: [] for site in sites}     # (time, {service: evidence}) at each change of the named ones; guarded by lock
        self.settings = {site.name: [] for site in sites}  # (time, {setting: (odd service, values)}) at each change; guarded by lock
        self.thread = threading.Thread(target=self.poll, daemon=True)
        self.thread.start()

    def poll(self):
        last = time.monotonic()
        while not self.stopping.is_set():
            for site in self.sites:
                try:
                    self.note(site.name, self.watch.ask("/api/v1/groups/" + urllib.parse.quote(site.group, safe="")))
                except (OSError, ValueError):
                    pass  # no member yet, or a late answer: the gap tells
                else:
                    self.polls += 1
            self.longest_gap, last = max(self.longest_gap, time.monotonic() - last), time.monotonic()
            self.stopping.wait(max(0.1, last + 1 - time.monotonic()))

    def note(self, site, group):
        now = time.time()
        odd = {one["service"]: one for one in group["odd"]}
        settings = {row["name"]: (row["odd"], row["values"]) for row in group["settings"] if row["odd"]}
        with self.lock:
            self.members[site] = group["memberList"]
            if not self.named[site] or self.named[site][-1][1].keys() != odd.keys():
                self.named[site].append((now, odd))
            if not self.settings[site] or {n: v[0] for n, v in self.settings[site][-1][1].items()} != {n: v[0] for n, v in settings.items()}:
                self.settings[site].append((now, settings))

    def now(self, site):
        """The services named now."""
        with self.lock:
            return set(self.named[site.name][-1][1]) if self.named[site.name] else set()

    def between(self, site, since, until):
        """The changes of the named services in this time, preceded by the state at its begin."""
        return self.part(self.named[site.name], since, until)

    def settings_between(self, site, since, until):
        return self.part(self.settings[site.name], since, until)

    def part(self, entries, since, until):
        with self.lock:
            copied = list(entries)
        return [e for e in copied if e[0] <= since][-1:] + [e for e in copied if since < e[0] <= until]

    def complete(self, site):
        """Whether all members of a site report."""
        with self.lock:
            members = self.members.get(site.name, [])
        return sum(m["reports"] for m in members) == len(site.mirrors)

    def stop(self):
        self.stopping.set()
        self.thread.join(15)
