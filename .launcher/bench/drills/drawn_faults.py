"""The register of the faults and traps of the drawn drills: what each draws, what it does to a server, and the state that must be named.

`r` is the seed's random source, `w` the draw (drawn.py), `w.p` what the fault drew, `d` the run (drawn_run.py).
"""

from drawn_kinds import path_of, server_of

FAULTS = []


class Fault:
    """An entry of the catalogue of faults and traps.

    expected: the state that must be named; `normal` for a trap. also: honest alternatives, counted apart. told: the measurement that tells it.
    clear: kinds that are drawn in clear text only. few: its server has few workers. alone: it needs the machine for itself. backend: the application requests a server behind it.
    """

    def __init__(self, key, expected, text, kinds, told, build, draw, also, few, alone, link, far, wan, backend, hold, clear):
        self.key, self.expected, self.text, self.kinds, self.told, self.build, self.draw = key, expected, text, kinds, told, build, draw
        self.clear, self.also, self.few, self.alone, self.link, self.far, self.wan, self.backend, self.hold = clear, also, few, alone, link, far, wan, backend, hold

    @property
    def trap(self):
        return self.expected == "normal"


def fault(key, expected, text, kinds, told, draw=lambda r, w: {}, also=(), few=False, alone=False, link="plain", far=False, wan="", backend=False, hold=20, clear=()):
    def enter(build):
        FAULTS.append(Fault(key, expected, text, kinds.split(), told, build, draw, also, few, alone, link, far, wan, backend, hold, clear))
        return build
    return enter


PROCESSES, SOCKETS, CPU, MEMORY, DISK, BANDWIDTH = ("saturated/" + part for part in ("processes", "sockets", "cpu", "memory", "disk", "bandwidth"))
UPSTREAM, FAILING, CRASHED, RESTARTING = "upstream-fault", "failing", "stopped/crashed", "stopped/restarting"


def ordinary(d, w, server=None, **o):
    """The watched server with its constant visitors."""
    server = server or server_of(d, w, **o)
    d.visitors(w.rate, **path_of(w))
    return server
