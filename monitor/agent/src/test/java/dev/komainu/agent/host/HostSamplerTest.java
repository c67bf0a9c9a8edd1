package dev.komainu.agent.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.HostSample;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostSamplerTest {

    @Test
    void growth_wrapAt32Bits_isBridged() {
        assertThat(Rates.growth(4_294_967_290L, 5)).isEqualTo(11);
    }

    @Test
    void growth_counterRestarted_isItsValue() {
        assertThat(Rates.growth(1_000_000, 40)).isEqualTo(40);
    }

    @Test
    void growth_beyondSignedRange_isStillRight() {
        assertThat(Rates.growth(Long.MAX_VALUE, Long.MIN_VALUE + 3)).isEqualTo(4);
        assertThat(Rates.growth(-10, -4)).isEqualTo(6);
    }

    @Test
    void growth_wrapAt64Bits_isBridged() {
        assertThat(Rates.growth(-10, 4)).isEqualTo(14);
        assertThat(Rates.growth(-1, 0)).isEqualTo(1);
    }

    /** Neither a wrap nor plausible since a restart: the growth is zero, not the whole counter. */
    @Test
    void growth_counterDecreasedALittle_isZero() {
        assertThat(Rates.growth(1_000_000, 999_990)).isZero();
        assertThat(Rates.growth(Long.MIN_VALUE + 10, Long.MIN_VALUE + 3)).isZero();
        assertThat(Rates.growth(-4, -10)).isZero();
        assertThat(Rates.growth(5, -3)).isZero();
    }

    @Test
    void growth_hugeCounterRestarted_isItsValueIfPlausible() {
        assertThat(Rates.growth(Long.MIN_VALUE, 70)).isEqualTo(70);
        assertThat(Rates.growth(Long.MAX_VALUE, 70)).isEqualTo(70);
        assertThat(Rates.growth(Long.MAX_VALUE, Long.MAX_VALUE / 4)).isZero();
    }

    /**
     * For any two readings of a counter, no negative rate, and no huge one unless the counter
     * increased by that much.
     */
    @Property
    void growth_ofAnyTwoReadings_isNeverNegative_andHugeOnlyAfterAnIncrease(
            @ForAll @LongRange(min = Long.MIN_VALUE) long before,
            @ForAll @LongRange(min = Long.MIN_VALUE) long now) {
        long growth = Rates.growth(before, now);
        assertThat(growth).isNotNegative();
        if (Long.compareUnsigned(now, before) < 0) {
            assertThat(growth).isLessThan(1L << 40);
        }
    }

    /** The exact growth of a 64-bit counter at any value. */
    @Property
    void growth_ofAContinuingCounter_isExact(
            @ForAll @LongRange(min = Long.MIN_VALUE) long before,
            @ForAll @LongRange(min = 0, max = (1L << 40) - 1) long more) {
        assertThat(Rates.growth(before, before + more)).isEqualTo(more);
    }

    @Test
    void sample_first_isNull() {
        try (HostSampler sampler = new HostSampler("here", HostProbe.ofThisSystem())) {
            assertThat(sampler.sample(List.of())).isNull();
        }
    }

    @Test
    void sample_thisHost_isSane() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                HostSampler sampler = new HostSampler("here", HostProbe.ofThisSystem())) {
            long self = ProcessHandle.current().pid();
            List<WatchedServer> watched =
                    List.of(new WatchedServer("here:1", self, socket.getLocalPort(), List.of()));
            long before = processCpuNanos();
            sampler.sample(watched);
            burn(Duration.ofMillis(200));
            long sampling = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
            HostSample sample = sampler.sample(watched);
            sampling = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - sampling;
            long most = processCpuNanos() - before;
            assertThat(sample).isNotNull();
            assertThat(sample.intervalMicros()).isGreaterThan(150_000);
            assertThat(sample.resources().cpus())
                    .hasSize(Runtime.getRuntime().availableProcessors());
            assertThat(sample.resources().cpus())
                    .allSatisfy(cpu -> assertThat(cpu.user()
                                    + cpu.kernel()
                                    + cpu.iowait()
                                    + cpu.steal()
                                    + cpu.idle())
                            .isCloseTo(1, within(1e-9)));
            assertThat(sample.resources().memory().total())
                    .isGreaterThan(sample.resources().memory().available());
            assertThat(sample.resources().memory().cached()).isPositive();
            assertThat(sample.kernel().contextSwitches()).isPositive();
            assertThat(sample.kernel().minorFaults()).isNotNegative();
            assertThat(sample.totals().processes()).isPositive();
            assertThat(sample.totals().threads())
                    .isGreaterThanOrEqualTo(sample.totals().processes() / 2);
            assertThat(sample.resources().interfaces())
                    .extracting(HostSample.InterfaceRates::name)
                    .contains("lo");
            HostSample.ServerProcesses server = sample.servers().getFirst();
            assertThat(server.use().processes()).isPositive();
            // The kernel reports a process's time in ticks of 10 ms, user and system each rounded.
            assertThat(server.use().cpuCores() * sample.intervalMicros() / 1e6)
                    .isBetween(0.18, most / 1e9 + 0.02);
            assertThat(server.use().residentBytes()).isGreaterThan(10_000_000);
            assertThat(server.files().openFiles()).isPositive();
            assertThat(server.files().openFilesLimit()).isPositive();
            assertThat(server.queue().acceptQueue()).isZero();
            assertThat(server.queue().acceptQueueLimit()).isEqualTo(5);
            assertThat(sample.network().listeners())
                    .filteredOn(listener -> listener.address().port() == socket.getLocalPort())
                    .singleElement()
                    .satisfies(listener -> {
                        assertThat(listener.service()).isEqualTo("here:1");
                        assertThat(listener.limit()).isEqualTo(5);
                    });
            assertThat(sample.totals().files()).isNotNull();
            // The kernel shows tcp_mem in the machine's own network namespace only.
            Long tcpMemoryLimit = sample.network().sockets().tcpMemoryLimitBytes();
            if (Files.exists(Path.of("/proc/sys/net/ipv4/tcp_mem"))) {
                assertThat(tcpMemoryLimit).isPositive();
            } else {
                assertThat(tcpMemoryLimit).isNull();
            }
            assertThat(sample.samplingMicros())
                    .as("of the %d ns that this thread used", sampling)
                    .isBetween(1L, sampling / 1_000);
        }
    }

    /** Uses this much CPU time, however long a busy machine takes to grant it. */
    private static void burn(Duration cpu) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long until = threads.getCurrentThreadCpuTime() + cpu.toNanos();
        while (threads.getCurrentThreadCpuTime() < until) {
            Thread.onSpinWait();
        }
    }

    private static long processCpuNanos() {
        return ((com.sun.management.OperatingSystemMXBean)
                        ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    @Test
    void read_emptyProc_yieldsZerosInsteadOfFailing(@TempDir Path empty) throws Exception {
        Files.createDirectories(empty.resolve("net"));
        Files.writeString(empty.resolve("stat"), "gibberish \0 without sense");
        try (LinuxProbe probe =
                new LinuxProbe(new ProcFiles(empty), empty.resolve("nosys"), false)) {
            HostReading reading = probe.read(List.of(new WatchedServer("a:1", 17L, 1, List.of())));
            HostSample sample = HostSampler.between("here", reading, probe.read(List.of()));
            assertThat(sample.resources().cpus()).isEmpty();
            assertThat(sample.pressure()).isNull();
            assertThat(sample.totals().files()).isNull();
            assertThat(sample.servers()).isEmpty();
        }
    }

    @Test
    void read_withoutSys_recognizesWholeDisksByName(@TempDir Path copy) throws Exception {
        Files.createDirectories(copy.resolve("net"));
        Files.writeString(copy.resolve("diskstats"), """
                 8 0 sda 1 0 2 0 1 0 2 0 0 9 0
                 8 1 sda1 1 0 2 0 1 0 2 0 0 9 0
                 259 0 nvme0n1 1 0 2 0 1 0 2 0 0 9 0
                 259 1 nvme0n1p1 1 0 2 0 1 0 2 0 0 9 0
                 7 0 loop0 1 0 2 0 1 0 2 0 0 9 0
                """);
        try (LinuxProbe probe = new LinuxProbe(new ProcFiles(copy), copy.resolve("nosys"), false)) {
            assertThat(probe.read(List.of()).resources().disks())
                    .extracting(HostReading.Disk::name)
                    .containsExactly("sda", "nvme0n1");
        }
    }
}
