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
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostSamplerTest {

    @Test
    void growth_wrapAt32Bits_isBridged() {
        assertThat(Rates.growth(4_294_967_290L, 5)).isEqualTo(11);
    }

    @Test
    void growth_counterSetBack_countsWhatHappenedSince() {
        assertThat(Rates.growth(1_000_000, 40)).isEqualTo(40);
    }

    @Test
    void growth_beyondSignedRange_isStillRight() {
        assertThat(Rates.growth(Long.MAX_VALUE, Long.MIN_VALUE + 3)).isEqualTo(Math.max(0, Long.MIN_VALUE + 3));
        assertThat(Rates.growth(-10, -4)).isEqualTo(6);
    }

    @Test
    void sample_first_hasNoRatesYet() {
        try (HostSampler sampler = new HostSampler("here", HostProbe.ofThisSystem())) {
            assertThat(sampler.sample(List.of())).isNull();
        }
    }

    @Test
    void sample_thisHost_isSane() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                HostSampler sampler = new HostSampler("here", HostProbe.ofThisSystem())) {
            long self = ProcessHandle.current().pid();
            List<WatchedServer> watched = List.of(new WatchedServer("here:1", self, socket.getLocalPort(), List.of()));
            long before = processCpuNanos();
            sampler.sample(watched);
            burn(Duration.ofMillis(200));
            HostSample sample = sampler.sample(watched);
            long most = processCpuNanos() - before;
            assertThat(sample).isNotNull();
            assertThat(sample.intervalMicros()).isGreaterThan(150_000);
            assertThat(sample.cpus()).hasSize(Runtime.getRuntime().availableProcessors());
            assertThat(sample.cpus())
                    .allSatisfy(cpu -> assertThat(cpu.user() + cpu.kernel() + cpu.iowait() + cpu.steal() + cpu.idle())
                            .isCloseTo(1, within(1e-9)));
            assertThat(sample.memory().total()).isGreaterThan(sample.memory().available());
            assertThat(sample.memory().cached()).isPositive();
            assertThat(sample.kernel().contextSwitches()).isPositive();
            assertThat(sample.kernel().minorFaults()).isNotNegative();
            assertThat(sample.processes()).isPositive();
            assertThat(sample.threads()).isGreaterThanOrEqualTo(sample.processes() / 2);
            assertThat(sample.interfaces())
                    .extracting(HostSample.InterfaceRates::name)
                    .contains("lo");
            HostSample.ServerProcesses server = sample.servers().getFirst();
            assertThat(server.processes()).isPositive();
            // The kernel tells a process's time in ticks of 10 ms, user and system each rounded.
            assertThat(server.cpuCores() * sample.intervalMicros() / 1e6).isBetween(0.18, most / 1e9 + 0.02);
            assertThat(server.residentBytes()).isGreaterThan(10_000_000);
            assertThat(server.openFiles()).isPositive();
            assertThat(server.openFilesLimit()).isPositive();
            assertThat(server.acceptQueue()).isZero();
            assertThat(server.acceptQueueLimit()).isEqualTo(5);
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
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    @Test
    void sample_oshiProbe_agreesWithLinuxProbeOnWhatBothKnow() {
        try (OshiProbe oshi = new OshiProbe();
                HostProbe linux = HostProbe.ofThisSystem()) {
            HostReading theirs = oshi.read(List.of());
            HostReading ours = linux.read(List.of());
            assertThat(ours.cpus()).hasSameSizeAs(theirs.cpus());
            assertThat(ours.memory().total()).isEqualTo(theirs.memory().total());
            assertThat(ours.kernel().contextSwitches())
                    .isGreaterThanOrEqualTo(theirs.kernel().contextSwitches());
            assertThat(ours.disks()).extracting(HostReading.Disk::name).doesNotContain("loop0");
            assertThat(theirs.disks())
                    .extracting(disk -> disk.name().replace("/dev/", ""))
                    .containsAll(
                            ours.disks().stream().map(HostReading.Disk::name).toList());
        }
    }

    @Test
    void read_emptyProc_yieldsZerosInsteadOfFailing(@TempDir Path empty) throws Exception {
        Files.createDirectories(empty.resolve("net"));
        Files.writeString(empty.resolve("stat"), "gibberish \0 without sense");
        Inventory.Source broken = () -> {
            throw new UnsatisfiedLinkError("no libudev here");
        };
        try (LinuxProbe probe = new LinuxProbe(new ProcFiles(empty), broken, false)) {
            HostReading reading = probe.read(List.of(new WatchedServer("a:1", 17L, 1, List.of())));
            HostSample sample = HostSampler.between("here", reading, probe.read(List.of()));
            assertThat(sample.cpus()).isEmpty();
            assertThat(sample.pressure()).isNull();
            assertThat(sample.servers()).isEmpty();
        }
    }

    @Test
    void read_withoutOshi_tellsWholeDisksByName(@TempDir Path copy) throws Exception {
        Files.createDirectories(copy.resolve("net"));
        Files.writeString(copy.resolve("diskstats"), """
                 8 0 sda 1 0 2 0 1 0 2 0 0 9 0
                 8 1 sda1 1 0 2 0 1 0 2 0 0 9 0
                 259 0 nvme0n1 1 0 2 0 1 0 2 0 0 9 0
                 259 1 nvme0n1p1 1 0 2 0 1 0 2 0 0 9 0
                 7 0 loop0 1 0 2 0 1 0 2 0 0 9 0
                """);
        Inventory.Source broken = () -> {
            throw new UnsatisfiedLinkError("no libudev here");
        };
        try (LinuxProbe probe = new LinuxProbe(new ProcFiles(copy), broken, false)) {
            assertThat(probe.read(List.of()).disks())
                    .extracting(HostReading.Disk::name)
                    .containsExactly("sda", "nvme0n1");
        }
    }

    @Test
    void inventory_slowPath_isAskedOnlyWhenDevicesChange() {
        int[] asked = {0};
        Inventory.Source source = () -> {
            asked[0]++;
            return new Inventory(Map.of(), Set.of(), 4096);
        };
        try (LinuxProbe probe = new LinuxProbe(ProcFiles.ofThisHost(), source, true)) {
            probe.read(List.of());
            probe.read(List.of());
            probe.read(List.of());
        }
        assertThat(asked[0]).isEqualTo(1);
    }
}
