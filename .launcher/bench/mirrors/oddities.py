"""The oddities: how one of four equal mirrors is made different from the others, and equal again."""

from balanced import CONNECTIONS, WORKERS

DISK_BYTES = 256 << 10  # a second, for its control group: a limit of operations would delay none below it
FEWER = {"nginx": {"connections": 10}, "prefork": {"workers": 2}}
USUAL = {"nginx": {"connections": CONNECTIONS}, "prefork": {"workers": WORKERS}}
SETTING = {"nginx": "worker_connections", "prefork": "MaxRequestWorkers"}
CPU_SHARE = 0.5         # of the cores that it uses
MEASURED = 10           # seconds in which its use of the CPU is measured
LEAST_CPU = 0.01        # cores: the kernel accepts no less
LOSS = 0.06             # of all packets, in both directions


class Oddity:
    """A difference of one mirror. setting: of each kind, the setting that the centre is to show as the odd one."""

    name, setting = "", {}

    def prepare(self, site, mirror):
        """Measures what it needs, before the onset."""

    def begin(self, site, mirror):
        raise NotImplementedError

    def end(self, site, mirror):
        raise NotImplementedError

    def text(self, site):
        raise NotImplementedError


class SlowDisk(Oddity):
    name = "slow-disk"

    def begin(self, site, mirror):
        mirror.reads.limit(DISK_BYTES)

    def end(self, site, mirror):
        mirror.reads.limit(None)

    def text(self, site):
        return "its control group reads %d KB/s from the disk" % (DISK_BYTES >> 10)


class FewWorkers(Oddity):
    name, setting = "few-workers", SETTING

    def begin(self, site, mirror):
        mirror.server.reload(**FEWER[site.name])

    def end(self, site, mirror):
        mirror.server.reload(**USUAL[site.name])

    def text(self, site):
        return "`%s` %d in place of %d, by a reload" % (SETTING[site.name], *FEWER[site.name].values(), *USUAL[site.name].values())


class LittleCpu(Oddity):
    name = "little-cpu"

    def __init__(self):
        self.cores = {}

    def prepare(self, site, mirror):
        self.cores[site.name] = max(LEAST_CPU, CPU_SHARE * site.use(mirror, MEASURED))

    def begin(self, site, mirror):
        mirror.cpu.limit(self.cores[site.name])

    def end(self, site, mirror):
        mirror.cpu.limit(None)

    def text(self, site):
        return "its control group gets %.3f core, half of what it used" % self.cores[site.name]


class LossyLink(Oddity):
    name = "lossy-link"

    def begin(self, site, mirror):
        mirror.link.lose(LOSS)

    def end(self, site, mirror):
        mirror.link.keep()

    def text(self, site):
        return "its link loses %g %% of all packets" % (100 * LOSS)


ODDITIES = {kind.name: kind for kind in (SlowDisk, FewWorkers, LittleCpu, LossyLink)}
EQUAL = "equal"
