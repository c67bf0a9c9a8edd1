"""The draw of a drill: a seed gives a server, a protocol, a fault or a trap, sizes, rates, settings, and a harmless change besides.

Everything comes from the seed: the same seed is the same drill on every machine. Faults are dealt from a shuffled deck, a deck of 60 for each
half and each 60 seeds of it, so that each half has every fault and every trap; everything else is random.Random(seed). Even seeds are the worked half, on which rules
are worked out; odd seeds are the judged half, whose results are not looked at before the rules are finished.
"""

import random

# In this order, which is that of the deck; each enters its faults.
import drawn_occupied  # noqa: F401, I001
import drawn_absent  # noqa: F401
import drawn_shortage  # noqa: F401
import drawn_failing  # noqa: F401
import drawn_traps  # noqa: F401
from drawn_faults import CRASHED, FAILING, FAULTS, PROCESSES, UPSTREAM
from drawn_kinds import KINDS, UNKNOWN_PROGRAMS
from drill import Drill

CLEAR_SHARE = 0.46  # where TLS is possible; some kinds have none, and half of all drills shall be over TLS
PROTOCOLS = {"clear": "clear text", "tls": "TLS", "h2": "HTTP/2 over TLS"}

# name: what it is, whether it may follow the onset
HARMLESS = {
    "none": ("no other change", False),
    "reload": ("a reload without changes", False),
    "rotation": ("a log file of 48 MB is compressed", True),
    "load": ("15 % more visitors", True),
    "cron": ("a cron job that searches /usr", True),
    "blip": ("one core is busy for 1.5 s", True),
    "neighbour": ("another server of the host is restarted", True)}

# Faults that are dealt twice in a deck: those whose symptom is easily taken for the cause.
TWICE = ("workers", "slow-readers", "slow-senders", "frozen", "backend-frozen", "backend-cable", "killed", "restart", "quota", "others", "one-core", "runtime", "disk", "beyond", "half",
    "errors", "backend-slow", "shaped")
# The weight of a kind where several are possible: some faults exist for few kinds only.
WEIGHTS = {"nginx": 0.4, "event": 0.6, "haproxy": 1.6, "squid": 2, "uwsgi": 1.6, "varnish": 2, "komainu": 1.8, "php": 1.4, "tomcat": 0.7, "gthread": 1.5}


def deck():
    return [f for f in FAULTS for _ in range(2 if f.key in TWICE else 1)]


def dealt(seed):
    """The fault or trap of a seed."""
    cards, place = deck(), (seed - 1) // 2
    random.Random("%d-%d" % (seed % 2, place // len(cards))).shuffle(cards)
    return cards[place % len(cards)]


class Draw:
    """One drawn drill. fault: a key of the catalogue instead of a drawn one."""

    def __init__(self, seed, only=None):
        r = random.Random(seed)
        self.seed = seed
        self.fault = next((f for f in FAULTS if f.key == only), None) or dealt(seed)
        self.key = r.choices(self.fault.kinds, [WEIGHTS.get(kind, 1) for kind in self.fault.kinds])[0]
        self.kind = KINDS[self.key]
        secure = [p for p in self.kind.protocols if p != "clear"]
        clear = not secure or self.key in self.fault.clear or r.random() < CLEAR_SHARE
        self.protocol = "clear" if clear else r.choice(secure)
        self.crew = r.choice([4, 8, 12, 16, 24] if self.fault.few else [40, 60, 100]) if self.key not in ("gunicorn", "uwsgi", "gthread") or self.fault.few else r.choice([16, 24])
        if self.key == "varnish" and self.fault.few:
            self.crew = r.choice([12, 16, 24])
        self.rate = r.choice([8, 12, 16, 20])
        self.size = r.choice([1_024, 4_096, 16_384, 40_960])
        self.timeout, self.keep_alive = r.choice([30, 60, 120]), r.choice([2, 5, 15])
        self.think, self.processes = r.choice([5, 20, 60]), r.choice([1, 2, 4])
        self.manager, self.port_of_pool = r.choice(["static", "dynamic"]), r.random() < 0.3
        self.backend_host = self.fault.key == "backend-cable" or self.fault.backend and r.random() < 0.5
        self.p = {"crew": self.crew, "processes": self.processes, **self.fault.draw(r, self)}
        self.harmless, self.harmless_after = self.draw_harmless(r)

    def draw_harmless(self, r):
        """The harmless change, and the seconds from the onset to it; negative: before the onset."""
        possible = [name for name in HARMLESS if name != "reload" or self.kind.reloads and self.fault.key not in ("restart", "half", "half-dead", "wrong-root", "maintenance", "reload")]
        name = r.choice(possible)
        after = r.choice([-6, -6, 3, 6, 10])
        return name, after if HARMLESS[name][1] else -6

    @property
    def half(self):
        return "judged" if self.seed % 2 else "worked"

    @property
    def name(self):
        return "s%03d" % self.seed

    @property
    def what(self):
        """The fault with its sizes."""
        return self.fault.text.format(**self.p)

    @property
    def settings(self):
        kind = self.kind
        known = ["%d workers" % self.p["crew"]] if kind.application or self.key == "varnish" else ["%d processes" % self.p["processes"]] if self.key.startswith("nginx") else []
        return ", ".join([kind.title, PROTOCOLS[self.protocol], *known, "timeout %d s" % self.timeout, *(["backend on another host"] if self.backend_host else [])])

    @property
    def besides(self):
        text = HARMLESS[self.harmless][0]
        return text if self.harmless == "none" else "%s %d s %s the onset" % (text, abs(self.harmless_after), "before" if self.harmless_after < 0 else "after")

    def line(self):
        return "%s: %s; %s visitors a second, %d bytes; %s: %s; besides: %s" % (self.name, self.settings, "%g" % self.p.get("base", self.p.get("rate", self.rate)),
            self.p.get("size", self.size), self.fault.key, self.what, self.besides)


def also_of(w):
    """The honest alternatives of a draw."""
    if w.key == "php" and w.fault.expected in (PROCESSES, FAILING):
        return *w.fault.also, UPSTREAM  # the pool is the backend of the nginx that is watched
    if w.p.get("stop") == "kill -9":
        return *w.fault.also, CRASHED  # it crashed, and its supervisor starts it again
    return w.fault.also


def drill_of(w, hold=None):
    """The drill of a draw, as run.py runs it."""
    fault, also = w.fault, also_of(w)
    made = Drill(w.name, "%s, %s" % (w.kind.title, PROTOCOLS[w.protocol]), w.what, fault.expected, lambda d: fault.build(d, w), w.kind.needs + (["openssl"] if w.protocol != "clear" else []),
        link=fault.link, wan=fault.wan.format(**w.p).split() if fault.wan else (), far=fault.far, phase=w.name if fault.alone else "quiet", hold=hold or fault.hold, also=also)
    made.draw, made.named_port = w, w.key in UNKNOWN_PROGRAMS
    return made


def seeds_of(text, half=None, part=None):
    """The seeds of an option such as 1-120 or 2,4,30-40; half: worked or judged; part: (N, M)."""
    seeds = []
    for piece in text.split(","):
        first, _, last = piece.strip().partition("-")
        if not first.isdigit() or last and not last.isdigit() or int(last or first) < int(first) or int(first) < 1:
            raise ValueError("--drawn: %s (expected: seeds from 1 on, such as 1-120 or 2,4,30-40)" % piece)
        seeds += range(int(first), int(last or first) + 1)
    seeds = [s for s in dict.fromkeys(seeds) if half is None or (s % 2 == 0) == (half == "worked")]
    return seeds if part is None else seeds[part[0] - 1::part[1]]


def traps_for(minutes):
    """One drill of each trap, on a server drawn for it, for this time."""
    drills = []
    for n, fault in enumerate(f for f in FAULTS if f.trap):
        w = Draw(9_000 + 2 * n, fault.key)
        drills.append(drill_of(w, minutes * 60))
        drills[-1].name = "trap-" + fault.key
    return drills
