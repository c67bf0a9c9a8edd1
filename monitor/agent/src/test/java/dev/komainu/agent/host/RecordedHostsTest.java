package dev.komainu.agent.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.agent.host.RecordedHost.Counts;
import dev.komainu.agent.host.linux.CpuTime;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.HostSample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Samples made from trees of {@code /proc}. */
class RecordedHostsTest {

    @TempDir
    private Path directory;

    private @Nullable HostReading before;

    @Test
    void sample_kernel419WithoutPressure_hasAllOtherValues() {
        RecordedHost host = RecordedHost.kernel419(directory);
        try (LinuxProbe probe = probe()) {
            read(probe, List.of());
            host.disk("   8       0 sda 120 5 2200 500 60 6 1400 700 0 900 1400");
            HostSample sample = next(probe, List.of(), 10);
            assertThat(sample.pressure()).isNull();
            assertThat(sample.totals().load5()).isEqualTo(0.4);
            assertThat(sample.totals().threads()).isEqualTo(200);
            assertThat(sample.resources().memory())
                    .isEqualTo(new HostSample.Memory(
                            2_048_000L << 10,
                            512_000L << 10,
                            1_024_000L << 10,
                            300_000L << 10,
                            100_000L << 10,
                            90_000L << 10));
            assertThat(sample.resources().disks()).singleElement().satisfies(disk -> {
                assertThat(disk.name()).isEqualTo("sda");
                assertThat(disk.readsPerSecond()).isEqualTo(2);
                assertThat(disk.writesPerSecond()).isEqualTo(1);
                assertThat(disk.readBytesPerSecond()).isEqualTo(200 * 512 / 10.0);
                assertThat(disk.busyShare()).isCloseTo(0.02, within(1e-9));
                assertThat(disk.waitMillis()).isCloseTo(200 / 30.0, within(1e-9));
                assertThat(disk.queueLength()).isCloseTo(0.04, within(1e-9));
            });
        }
    }

    @Test
    void read_kernel510WithoutFullCpuPressure_hasFullOfTheOthers() {
        RecordedHost.kernel510(directory);
        try (LinuxProbe probe = probe()) {
            assertThat(read(probe, List.of()).pressure())
                    .isEqualTo(new HostSample.Pressure(1.5, 0.1, 2, 0.05, 1.25));
        }
    }

    @Test
    void kernel6_countersGrow_givesRatesPerSecond() {
        RecordedHost host = RecordedHost.kernel6(directory);
        try (LinuxProbe probe = probe()) {
            read(probe, List.of());
            host.replace(
                    "vmstat", "pgfault 100000\npgmajfault 300", "pgfault 101000\npgmajfault 310");
            host.replace("stat", "intr 5000", "intr 7000");
            host.replace("stat", "ctxt 9000", "ctxt 9500");
            host.replace("stat", "cpu1 200 0 100 1700", "cpu1 290 0 110 1700");
            host.replace("net/netstat", "TcpExt: 11 0 22 33", "TcpExt: 31 0 32 63");
            host.replace("net/snmp", "70000 80", "71000 90");
            host.replace("net/dev", "eth0: 5000 50 1 2", "eth0: 25000 90 2 3");
            HostSample sample = next(probe, List.of(), 10);
            assertThat(sample.kernel().minorFaults()).isEqualTo(99);
            assertThat(sample.kernel().majorFaults()).isEqualTo(1);
            assertThat(sample.kernel().interrupts()).isEqualTo(200);
            assertThat(sample.kernel().contextSwitches()).isEqualTo(50);
            assertThat(sample.resources().cpus().get(1).user()).isCloseTo(0.9, within(1e-9));
            assertThat(sample.network().sockets().rates().synCookiesPerSecond()).isEqualTo(2);
            assertThat(sample.network().sockets().rates().listenOverflowsPerSecond())
                    .isEqualTo(1);
            assertThat(sample.network().sockets().rates().listenDropsPerSecond())
                    .isEqualTo(3);
            assertThat(sample.network().sockets().rates().retransmittedPerSecond())
                    .isEqualTo(1);
            assertThat(sample.network().sockets().tcpOrphan()).isEqualTo(4);
            assertThat(sample.network().sockets().tcpInUse()).isEqualTo(36);
            assertThat(sample.network().sockets().tcpMemoryBytes())
                    .isEqualTo(70 * CpuTime.pageBytes());
            assertThat(sample.network().sockets().tcpMemoryLimitBytes())
                    .isEqualTo(3_000 * CpuTime.pageBytes());
            assertThat(sample.totals().files())
                    .isEqualTo(new HostSample.FileHandles(1_000, 100_000));
            HostSample.InterfaceRates eth0 = sample.resources().interfaces().get(1);
            assertThat(eth0.receivedBytesPerSecond()).isEqualTo(2_000);
            assertThat(eth0.receivedPacketsPerSecond()).isEqualTo(4);
            assertThat(eth0.dropsPerSecond()).isEqualTo(0.1);
            assertThat(eth0.errorsPerSecond()).isEqualTo(0.1);
        }
    }

    @Test
    void listeners_byFile_haveQueueCapAndService() {
        RecordedHost.kernel419(directory);
        WatchedServer server = new WatchedServer("here:80", null, 80, List.of(555L));
        try (LinuxProbe probe = probe()) {
            assertThat(read(probe, List.of(server)).network().listeners())
                    .singleElement()
                    .satisfies(listener -> {
                        assertThat(listener.queue()).isEqualTo(7);
                        assertThat(listener.limit()).isEqualTo(128);
                        assertThat(listener.service()).isEqualTo("here:80");
                    });
        }
    }

    @Test
    void cpuUnplugged_othersKeepTheirShares_andItsReturnIsSampledFromThenOn() {
        RecordedHost host = RecordedHost.of(directory);
        host.replace("stat", "intr", "cpu2 0 0 0 1000 0 0 0 0 0 0\nintr");
        try (LinuxProbe probe = probe()) {
            read(probe, List.of());
            host.replace("stat", "cpu1 200 0 100 1700 0 0 0 0 0 0\n", "");
            host.replace("stat", "cpu2 0 0 0 1000", "cpu2 75 0 0 1025");
            HostSample without = next(probe, List.of(), 10);
            assertThat(without.resources().cpus()).hasSize(2);
            assertThat(without.resources().cpus().get(1).user()).isEqualTo(0.75);
            host.replace("stat", "cpu2", "cpu1 900 0 100 1700 0 0 0 0 0 0\ncpu2");
            assertThat(next(probe, List.of(), 10).resources().cpus())
                    .as("no before of cpu1")
                    .hasSize(2);
            host.replace("stat", "cpu1 900", "cpu1 950");
            HostSample again = next(probe, List.of(), 10);
            assertThat(again.resources().cpus()).hasSize(3);
            assertThat(again.resources().cpus().get(1).user()).isEqualTo(1);
        }
    }

    @Test
    void hugeAndWrappingCounters_giveTheirDifference() {
        RecordedHost host = RecordedHost.of(directory);
        host.replace("stat", "ctxt 9000", "ctxt 18446744073709551000");
        host.replace("net/dev", "eth0: 5000", "eth0: 4294967000");
        host.replace("vmstat", "pswpin 10", "pswpin 99999999999999999999999999");
        try (LinuxProbe probe = probe()) {
            read(probe, List.of());
            host.replace("stat", "ctxt 18446744073709551000", "ctxt 18446744073709551500");
            host.replace("net/dev", "eth0: 4294967000", "eth0: 704");
            HostSample sample = next(probe, List.of(), 10);
            assertThat(sample.kernel().contextSwitches()).isEqualTo(50);
            assertThat(sample.resources().interfaces().get(1).receivedBytesPerSecond())
                    .isEqualTo(100);
            assertThat(sample.kernel().swapInPages()).isZero();
        }
    }

    @Test
    void serverTree_sumsGrowthOfTheLiving() {
        RecordedHost host = RecordedHost.kernel6(directory);
        host.process(10, 1, 5, new Counts(100, 1, 50, 10, 1_000, 3), List.of(11L, 12L));
        host.process(11, 10, 6, new Counts(200, 0, 100, 20, 2_000, 9), List.of());
        host.process(12, 10, 7, new Counts(300, 0, 100, 30, 3_000, 4), List.of());
        WatchedServer server = new WatchedServer("here:80", 10L, 80, List.of());
        try (LinuxProbe probe = probe()) {
            read(probe, List.of(server));
            host.process(11, 10, 6, new Counts(260, 2, 200, 50, 2_500, 9), List.of());
            HostSample sample = next(probe, List.of(server), 10);
            HostSample.ServerProcesses actual = sample.servers().getFirst();
            assertThat(actual.use().processes()).isEqualTo(3);
            assertThat(actual.use().residentBytes()).isEqualTo(300 * CpuTime.pageBytes());
            assertThat(actual.files().openFiles()).isEqualTo(9);
            assertThat(actual.files().openFilesLimit()).isEqualTo(1_024);
            assertThat(actual.use().cpuCores()).isCloseTo(0.1, within(1e-9));
            assertThat(actual.work()).isEqualTo(new HostSample.Work(6, 0.2, 3, 50.0));
            assertThat(sample.kernel().readWriteCalls()).isEqualTo(50);
        }
    }

    @Test
    void serverTree_hasTheWaitsOfItsThreads() {
        RecordedHost host = RecordedHost.kernel6(directory);
        host.process(10, 1, 5, new Counts(100, 1, 50, 10, 1_000, 3), List.of(11L, 12L));
        host.process(11, 10, 6, new Counts(200, 0, 100, 20, 2_000, 9), List.of());
        host.process(12, 10, 7, new Counts(300, 0, 100, 30, 3_000, 4), List.of());
        WatchedServer server = new WatchedServer("here:80", 10L, 80, List.of());
        try (LinuxProbe probe = probe()) {
            read(probe, List.of(server));
            // Worker 11: 2 s on a CPU, half of it in the kernel, and 5 s waiting for it; it read 1
            // MB and waits for the disk now.
            host.write(
                    "11/stat",
                    "11 (w) D 10 1 1 0 -1 4194304 200 0 0 0 200 100 0 0 20 0 1 0 6 3133440 100 18446\n");
            host.write("11/schedstat", "3000000000 5000000077 70\n");
            host.write("11/io", "syscr: 2000\nsyscw: 0\nread_bytes: 1000000\nwrite_bytes: 4096\n");
            HostSample.Waits actual = Objects.requireNonNull(
                    next(probe, List.of(server), 10).servers().getFirst().waits());
            assertThat(actual.kernelCores()).isCloseTo(0.1, within(1e-9));
            assertThat(actual.waitingThreads()).isCloseTo(0.5, within(1e-9));
            assertThat(actual.blockedThreads()).isEqualTo(1);
            assertThat(actual.readBytesPerSecond()).isEqualTo(100_000);
            assertThat(actual.writtenBytesPerSecond()).isEqualTo(409.6);
            assertThat(next(probe, List.of(server), 10).servers().getFirst().waits())
                    .as("it has not run since, so it still waits")
                    .isEqualTo(new HostSample.Waits(0, 0.0, 1, 0.0, 0.0));
        }
    }

    @Test
    void threadsOfOneProcess_thatReadsADisk_areReadOneByOne() {
        RecordedHost host = RecordedHost.kernel6(directory);
        host.process(10, 1, 5, new Counts(100, 1, 50, 10, 1_000, 3), List.of());
        String stat =
                "10 (java) S 1 1 1 0 -1 4194304 100 0 1 0 50 0 0 0 20 0 3 0 5 3133440 100 18446\n";
        host.write("10/stat", stat);
        for (int thread = 10; thread <= 12; thread++) {
            host.write("10/task/" + thread + "/schedstat", "1000 77 10\n");
            host.write(
                    "10/task/" + thread + "/stat",
                    thread == 10 ? stat : stat.replace(") S", ") D"));
        }
        WatchedServer server = new WatchedServer("here:80", 10L, 80, List.of());
        try (LinuxProbe probe = probe()) {
            read(probe, List.of(server));
            host.write("10/task/11/schedstat", "2000 77 11\n");
            host.write("10/io", "syscr: 1000\nsyscw: 0\nread_bytes: 8192\nwrite_bytes: 0\n");
            HostSample.Waits actual = Objects.requireNonNull(
                    next(probe, List.of(server), 10).servers().getFirst().waits());
            assertThat(actual.blockedThreads()).isEqualTo(2);
            assertThat(actual.readBytesPerSecond()).isEqualTo(819.2);
        }
    }

    @Test
    void proxy_portsAreCountedOnlyWithManySockets() {
        RecordedHost host = RecordedHost.kernel6(directory);
        host.process(10, 1, 5, new Counts(100, 1, 50, 10, 1_000, 3), List.of());
        host.write("sys/net/ipv4/ip_local_port_range", "40000\t40999\n");
        host.write("sys/net/ipv4/ip_local_reserved_ports", "40500-40599\n");
        Endpoint origin = Endpoint.parse("10.0.0.9:8080");
        WatchedServer proxy =
                new WatchedServer("here:80", 10L, 80, List.of(555L), true, List.of(origin));
        try (LinuxProbe probe = probe()) {
            assertThat(read(probe, List.of(proxy)).servers().getFirst().ports())
                    .as("86 sockets are less than a tenth of 900 ports")
                    .isEqualTo(new HostSample.Ports(86, 900, null));
            host.replace("net/sockstat", "tw 50", "tw 500");
            host.write(
                    "net/tcp",
                    "  sl\n   0: 0100000A:9C41 0900000A:1F90 06 0\n   1: 0100000A:9C42 0900000A:1F90 01 0\n");
            assertThat(read(probe, List.of(proxy)).servers().getFirst().ports())
                    .isEqualTo(new HostSample.Ports(2, 900, origin));
            assertThat(read(probe, List.of(new WatchedServer("here:80", 10L, 80, List.of())))
                            .servers()
                            .getFirst()
                            .ports())
                    .as("it has no upstreams")
                    .isNull();
        }
    }

    @Test
    void controlGroup_ofTheServersProcess_isReportedWithIt() {
        RecordedHost host = RecordedHost.kernel6(directory);
        host.process(10, 1, 5, new Counts(100, 1, 50, 10, 1_000, 3), List.of());
        host.write(
                "self/mountinfo",
                "30 23 0:26 / " + directory.resolve("groups") + " rw - cgroup2 cgroup2 rw\n");
        host.write("10/cgroup", "0::/web\n");
        host.write("groups/web/cpu.max", "50000 100000\n");
        host.write(
                "groups/web/cpu.stat", "nr_periods 100\nnr_throttled 10\nthrottled_usec 1000000\n");
        WatchedServer server = new WatchedServer("here:80", 10L, 80, List.of());
        try (LinuxProbe probe = probe()) {
            read(probe, List.of(server));
            host.write(
                    "groups/web/cpu.stat",
                    "nr_periods 200\nnr_throttled 90\nthrottled_usec 6000000\n");
            assertThat(next(probe, List.of(server), 10).servers().getFirst().group())
                    .isEqualTo(new HostSample.ControlGroup(
                            0.5, 0.8, 0.5, null, null, null, null, null, null, null));
        }
    }

    @Test
    void cpuTimeShorterThanATick_isCounted_andThreadsThatEndedAreNotForgotten() {
        RecordedHost host = RecordedHost.kernel6(directory);
        Counts idle = new Counts(100, 1, 0, 10, 1_000, 3);
        host.process(10, 1, 5, idle, List.of());
        host.write("10/schedstat", "1000000 77 10\n");
        WatchedServer server = new WatchedServer("here:80", 10L, 80, List.of());
        try (LinuxProbe probe = probe()) {
            read(probe, List.of(server));
            host.write("10/schedstat", "8000000 77 20\n");
            assertThat(next(probe, List.of(server), 10)
                            .servers()
                            .getFirst()
                            .use()
                            .cpuCores())
                    .as("7 ms in 10 s, while stat still has 0 ticks")
                    .isCloseTo(0.0007, within(1e-9));
            host.process(10, 1, 5, new Counts(100, 1, 50, 30, 1_000, 3), List.of());
            host.write("10/schedstat", "9000000 77 30\n");
            assertThat(next(probe, List.of(server), 10)
                            .servers()
                            .getFirst()
                            .use()
                            .cpuCores())
                    .as("other threads used 0.5 s and ended: counted in stat, not in schedstat")
                    .isCloseTo(0.0492, within(1e-9));
        }
    }

    @Test
    void processThatDidNotRun_isNotReadAgain() {
        RecordedHost host = RecordedHost.kernel6(directory);
        host.process(10, 1, 5, new Counts(100, 1, 50, 10, 1_000, 3), List.of());
        WatchedServer server = new WatchedServer("here:80", 10L, 80, List.of());
        try (LinuxProbe probe = probe()) {
            read(probe, List.of(server));
            // No kernel would do this: it shows that only schedstat was opened.
            host.remove("10/io");
            host.replace("10/stat", "S 1", "Z 1");
            HostSample.ServerProcesses actual =
                    next(probe, List.of(server), 10).servers().getFirst();
            assertThat(actual.use().processes()).isEqualTo(1);
            assertThat(actual.work()).isEqualTo(new HostSample.Work(0, 0, 0, 0.0));
        }
    }

    @Test
    void idReused_countersAreNotMixed() {
        RecordedHost host = RecordedHost.kernel6(directory);
        host.process(10, 1, 5, new Counts(100, 1, 50, 10, 1_000, 3), List.of(11L));
        host.process(11, 10, 6, new Counts(200, 0, 100, 20, 2_000, 9), List.of());
        WatchedServer server = new WatchedServer("here:80", 10L, 80, List.of());
        try (LinuxProbe probe = probe()) {
            read(probe, List.of(server));
            // The worker ends and another program gets its id. The master waited for it: it ran,
            // and has no children.
            host.end(11);
            host.process(
                    11,
                    1,
                    900,
                    new Counts(5_000_000, 0, 90_000, 70_000, 9_000_000, 800),
                    List.of());
            host.process(10, 1, 5, new Counts(100, 1, 50, 12, 1_000, 3), List.of());
            HostSample.ServerProcesses actual =
                    next(probe, List.of(server), 10).servers().getFirst();
            assertThat(actual.use().processes()).isEqualTo(1);
            assertThat(actual.files().openFiles()).isEqualTo(3);
            assertThat(actual.work()).isEqualTo(new HostSample.Work(0, 0, 0.2, 0.0));
            assertThat(actual.use().cpuCores()).isZero();
        }
    }

    @Test
    void workerForkedBetweenSamples_isCountedCompletely() {
        RecordedHost host = RecordedHost.kernel6(directory);
        host.process(10, 1, 5, new Counts(100, 1, 50, 10, 1_000, 3), List.of());
        WatchedServer server = new WatchedServer("here:80", 10L, 80, List.of());
        try (LinuxProbe probe = probe()) {
            read(probe, List.of(server));
            host.process(11, 10, 600, new Counts(40, 0, 10, 20, 70, 4), List.of());
            host.process(10, 1, 5, new Counts(100, 1, 50, 20, 1_000, 3), List.of(11L));
            HostSample.ServerProcesses actual =
                    next(probe, List.of(server), 10).servers().getFirst();
            assertThat(actual.use().processes()).isEqualTo(2);
            assertThat(actual.work()).isEqualTo(new HostSample.Work(4, 0, 3, 7.0));
        }
    }

    @Test
    void childrenNotListed_areFoundByTheirParents() throws IOException {
        RecordedHost host = RecordedHost.kernel419(directory);
        host.process(10, 1, 5, new Counts(100, 1, 50, 10, 1_000, 3), List.of());
        host.process(11, 10, 6, new Counts(200, 0, 100, 20, 2_000, 9), List.of());
        Files.delete(directory.resolve("10/task/10/children"));
        Files.delete(directory.resolve("11/task/11/children"));
        try (LinuxProbe probe = probe()) {
            HostReading reading =
                    read(probe, List.of(new WatchedServer("here:80", 10L, 80, List.of())));
            assertThat(Objects.requireNonNull(reading.servers().getFirst().processes())
                            .count())
                    .isEqualTo(2);
        }
    }

    @Test
    void filesCutAnywhereOrGone_areReadWithoutFailing() throws IOException {
        RecordedHost host = RecordedHost.kernel6(directory);
        host.process(10, 1, 5, new Counts(100, 1, 50, 10, 1_000, 3), List.of(11L));
        host.process(11, 10, 6, new Counts(200, 0, 100, 20, 2_000, 9), List.of());
        WatchedServer server = new WatchedServer("here:80", 10L, 80, List.of());
        Random random = new Random(7);
        List<Path> files;
        try (Stream<Path> all = Files.walk(directory)) {
            files = all.filter(Files::isRegularFile).sorted().toList();
        }
        try (LinuxProbe probe = probe()) {
            read(probe, List.of(server));
            for (int i = 0; i < 200; i++) {
                Path file = files.get(random.nextInt(files.size()));
                byte[] whole = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
                Files.write(
                        file,
                        Arrays.copyOf(whole, whole.length == 0 ? 0 : random.nextInt(whole.length)));
                HostSample sample = next(probe, List.of(server), 1);
                assertThat(sample.kernel().contextSwitches()).isNotNegative();
                Files.write(file, whole);
            }
        }
    }

    private LinuxProbe probe() {
        return new LinuxProbe(new ProcFiles(directory), directory.resolve("nosys"), false);
    }

    private HostReading read(LinuxProbe probe, List<WatchedServer> servers) {
        HostReading reading = probe.read(servers);
        before = reading;
        return reading;
    }

    /**
     * Returns the sample of this reading and the last one, as if so many seconds had passed between
     * them.
     */
    private HostSample next(LinuxProbe probe, List<WatchedServer> servers, int seconds) {
        HostReading last = Objects.requireNonNull(before);
        HostReading now = probe.read(servers);
        HostReading later = new HostReading(
                now.atMicros(),
                last.atNanos() + seconds * 1_000_000_000L,
                now.resources(),
                now.kernel(),
                now.network(),
                now.pressure(),
                now.totals(),
                now.servers());
        before = later;
        return HostSampler.between("here", last, later);
    }
}
