"""The course of a case, for all sites at the same time.

    none named ─▶ ONSET ─ one mirror of each site is odd ─▶ named? ─▶ CURE ─▶ no longer named?
    equal: none may be named, for as long as asked

Times are this program's clock and what a poll a second shows, so a second is their grain.
"""

import time

from oddities import EQUAL, ODDITIES
from stage import Missing

SETTLED_WITHIN = 150   # seconds until all mirrors report
NAMED_WITHIN = 60
WATCHED = 100          # seconds after which an oddity counts as never named
AFTER_NAME = 6         # seconds that the oddity lasts after its name, so that a second name is seen
CLEARED_WITHIN = 200   # seconds after which a cure counts as not seen
BEFORE = 30            # seconds before the onset that the visitors' figures are taken from
COMPARABLE = 0.5       # of the blocks: with fewer, "none named" says nothing


class Case:
    def __init__(self, name, sites, findings, visits):
        self.name, self.sites, self.findings, self.visits = name, sites, findings, visits

    def until(self, done, seconds):
        """Waits until done(site) is true for all sites; reports whether it became so."""
        deadline = time.monotonic() + seconds
        while not all(done(site) for site in self.sites):
            if time.monotonic() >= deadline:
                return False
            time.sleep(0.5)
        return True

    def names(self, site, since, until):
        """The changes of the named mirrors: [seconds after `since`, numbers of mirrors, evidence by number]."""
        told = []
        for at, odd in self.findings.between(site, since, until):
            numbers = {site.number_of(service): one["evidence"] for service, one in odd.items()}
            told.append([round(max(0, at - since), 1), sorted(numbers), numbers])
        return told

    def states(self, site, since, until):
        """The states of each mirror meanwhile: [seconds after `since`, state, cause, evidence]. Those of the peers tell why one was named wrongly."""
        return [[[round(max(0, e["at"] - since), 1), e["state"], e["cause"], e["evidence"]] for e in self.findings.watch.history(m.port, since, until)] for m in site.mirrors]


class Equal(Case):
    def __init__(self, minutes, *rest):
        super().__init__(EQUAL, *rest)
        self.minutes = minutes

    def run(self, number):
        begun, used = time.time(), {site.name: site.used() for site in self.sites}
        try:
            self.until(lambda site: False, 60 * self.minutes)
        finally:
            self.results = [self.verdict(site, begun, time.time(), used[site.name]) for site in self.sites]
        return self.results

    def verdict(self, site, begun, ended, used):
        visits = self.visits[site.name]
        named = [n for n in self.names(site, begun, ended) if n[1]]
        comparable = visits.comparable(begun, ended)
        return {"case": EQUAL, "site": site.name, "minutes": round((ended - begun) / 60, 1), "named": named, "comparable": round(comparable, 3),
            "cores": round((site.used() - used) / (ended - begun), 3), "visits": visits.seen(begun, ended), "states": self.states(site, begun, ended), "good": not named and comparable >= COMPARABLE}


class Odd(Case):
    def __init__(self, name, *rest):
        super().__init__(name, *rest)
        self.oddity = ODDITIES[name]()

    def run(self, number):
        if not self.until(lambda site: not self.findings.now(site), CLEARED_WITHIN):
            raise Missing("%s: a mirror is named before the onset" % self.name)
        odd = number % len(self.sites[0].mirrors)
        for site in self.sites:
            self.oddity.prepare(site, site.mirrors[odd])
        self.t0 = time.time()
        try:
            for site in self.sites:
                self.oddity.begin(site, site.mirrors[odd])
            self.until(lambda site: odd in self.numbers(site), WATCHED)
            time.sleep(AFTER_NAME)
        finally:
            self.t1 = time.time()
            for site in self.sites:
                self.oddity.end(site, site.mirrors[odd])
        self.until(lambda site: not self.findings.now(site), CLEARED_WITHIN)
        return [self.verdict(site, odd, time.time()) for site in self.sites]

    def numbers(self, site):
        return {site.number_of(service) for service in self.findings.now(site)}

    def verdict(self, site, odd, ended):
        visits, names = self.visits[site.name], self.names(site, self.t0, ended)
        first = next((n for n in names if odd in n[1]), None)
        others = sorted({n for entry in names for n in entry[1] if n != odd})
        last = names[-1] if names else None
        setting = self.oddity.setting.get(site.name)
        return {"case": self.name, "site": site.name, "oddity": self.oddity.text(site), "mirror": odd, "named": names,
            "secondsToName": first[0] if first else None, "evidence": first[2][odd] if first else [], "others": others,
            "setting": setting, "secondsToSetting": self.setting_shown(site, setting, odd) if setting else None,
            "secondsToClear": round(max(0, self.t0 + last[0] - self.t1), 1) if first and not last[1] else None,
            "heldSeconds": round(self.t1 - self.t0, 1), "states": self.states(site, self.t0, self.t1),
            "before": visits.seen(self.t0 - BEFORE, self.t0), "during": visits.seen(self.t0 + 5, self.t1),
            "good": bool(first) and first[0] <= NAMED_WITHIN and not others and not last[1] and (not setting or self.setting_shown(site, setting, odd) is not None)}

    def setting_shown(self, site, setting, odd):
        """Seconds until the settings side by side showed that the odd mirror alone has another value; None when they did not while the oddity lasted."""
        for at, rows in self.findings.settings_between(site, self.t0, self.t1):
            if setting in rows and site.number_of(rows[setting][0]) == odd:
                return round(max(0, at - self.t0), 1)
        return None
