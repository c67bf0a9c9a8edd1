package dev.komainu.agent.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.telemetry.record.HostSample;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of every probe, and the values on which two probes of one host must agree. */
class HostProbeContractTest {

    private static final int PAGES = 4_000;

    enum Kind {
        OF_THIS_SYSTEM(HostProbe::ofThisSystem),
        OSHI(OshiProbe::new);

        private final Supplier<HostProbe> make;

        Kind(Supplier<HostProbe> make) {
            this.make = make;
        }
    }

    private static final WatchedServer THIS_PROCESS =
            new WatchedServer("here:1", ProcessHandle.current().pid(), 1, List.of());

    @ParameterizedTest
    @EnumSource
    void probe_faultingProcess_reportsItsFaults(Kind kind, @TempDir Path directory)
            throws Exception {
        try (HostSampler sampler = new HostSampler("here", kind.make.get())) {
            sampler.sample(List.of(THIS_PROCESS));
            touchFreshPages(directory);
            HostSample sample = Objects.requireNonNull(sampler.sample(List.of(THIS_PROCESS)));
            double seconds = sample.intervalMicros() / 1e6;
            HostSample.ServerProcesses server = sample.servers().getFirst();
            HostSample.Work work = Objects.requireNonNull(server.work());
            // The kernel may map 16 pages around the faulting one.
            assertThat(work.minorFaults() * seconds).isBetween(PAGES / 16.0, PAGES * 100.0);
            assertThat(work.contextSwitches()).isNotNegative();
            assertThat(server.use().threads()).isGreaterThan(3);
            assertThat(server.use().residentBytes()).isGreaterThan(20_000_000);
            assertThat(sample.resources().cpus())
                    .hasSize(Runtime.getRuntime().availableProcessors());
            assertThat(sample.resources().memory().available())
                    .isBetween(1L, sample.resources().memory().total());
            assertThat(sample.samplingMicros()).isPositive();
        }
    }

    /** Writes to the pages of a mapped file. */
    private static void touchFreshPages(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(
                directory.resolve("pages"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            MappedByteBuffer map = channel.map(FileChannel.MapMode.READ_WRITE, 0, PAGES * 4_096L);
            for (int page = 0; page < PAGES; page++) {
                map.put(page * 4_096, (byte) page);
            }
        }
    }

    @Test
    void sample_processThatReads_countsItsCallsAndSwitches() throws Exception {
        Process shell =
                new ProcessBuilder("sh", "-c", "while read line; do echo $line; done").start();
        WatchedServer watched = new WatchedServer("here:2", shell.pid(), 2, List.of());
        try (HostSampler sampler = new HostSampler("here", HostProbe.ofThisSystem());
                var in = shell.outputWriter();
                var out = shell.inputReader()) {
            echo(in, out);
            sampler.sample(List.of(watched));
            int lines = 300;
            for (int i = 0; i < lines; i++) {
                echo(in, out);
            }
            HostSample sample = Objects.requireNonNull(sampler.sample(List.of(watched)));
            HostSample.Work work =
                    Objects.requireNonNull(sample.servers().getFirst().work());
            double seconds = sample.intervalMicros() / 1e6;
            // A shell reads a pipe byte by byte: ten bytes and a line break, then one write. It
            // waits once per line.
            assertThat(Objects.requireNonNull(work.readWriteCalls()) * seconds)
                    .isBetween(lines * 2.0, lines * 14.0);
            assertThat(work.contextSwitches() * seconds).isBetween(lines * 0.9, lines * 30.0);
            assertThat(Objects.requireNonNull(sample.kernel().readWriteCalls()) * seconds)
                    .isBetween(lines * 2.0, lines * 14.0);
        } finally {
            shell.destroyForcibly();
        }
    }

    private static void echo(Writer in, BufferedReader out) throws IOException {
        in.write("0123456789\n");
        in.flush();
        assertThat(out.readLine()).isEqualTo("0123456789");
    }

    @Test
    void bothProbes_agreeOnCommonValues() {
        try (OshiProbe oshi = new OshiProbe();
                HostProbe linux = HostProbe.ofThisSystem()) {
            // OSHI caches some values: they may be as old as its own first reading, but not older.
            HostReading before = linux.read(List.of(THIS_PROCESS));
            oshi.read(List.of(THIS_PROCESS));
            HostReading first = linux.read(List.of(THIS_PROCESS));
            HostReading oshiReading = oshi.read(List.of(THIS_PROCESS));
            HostReading last = linux.read(List.of(THIS_PROCESS));
            assertThat(oshiReading.resources().cpus())
                    .hasSameSizeAs(first.resources().cpus());
            assertThat(oshiReading.resources().memory().total())
                    .isEqualTo(first.resources().memory().total());
            assertThat(oshiReading.resources().memory().swapTotal())
                    .isEqualTo(first.resources().memory().swapTotal());
            assertThat((double) oshiReading.resources().memory().available())
                    .isCloseTo(
                            first.resources().memory().available(),
                            within(first.resources().memory().total() * 0.1));
            assertThat(oshiReading.kernel().contextSwitches())
                    .isBetween(before.kernel().contextSwitches(), last.kernel().contextSwitches());
            assertThat(oshiReading.totals().load().fifteen())
                    .isCloseTo(first.totals().load().fifteen(), within(0.5));
            assertThat(oshiReading.network().stack().events().sentSegments())
                    .isBetween(
                            before.network().stack().events().sentSegments(),
                            last.network().stack().events().sentSegments());
            assertThat((double) oshiReading.totals().processes())
                    .isCloseTo(
                            first.totals().processes(),
                            within(first.totals().processes() * 0.2 + 10));
            assertThat(oshiReading.resources().disks())
                    .extracting(HostReading.Disk::name)
                    .containsAll(first.resources().disks().stream()
                            .map(HostReading.Disk::name)
                            .toList());
            assertThat(oshiReading.resources().interfaces())
                    .extracting(HostReading.Interface::name)
                    .isSubsetOf(first.resources().interfaces().stream()
                            .map(HostReading.Interface::name)
                            .toList());
            HostReading.Processes linuxProcesses =
                    Objects.requireNonNull(first.servers().getFirst().processes());
            HostReading.Processes oshiProcesses =
                    Objects.requireNonNull(oshiReading.servers().getFirst().processes());
            assertThat((double) oshiProcesses.threads())
                    .isCloseTo(linuxProcesses.threads(), within(10.0));
            assertThat((double) oshiProcesses.residentBytes())
                    .isCloseTo(
                            linuxProcesses.residentBytes(),
                            within(linuxProcesses.residentBytes() * 0.3));
            // The Linux probe includes the time of ended children.
            long linuxNanosLater = Objects.requireNonNull(
                            last.servers().getFirst().processes())
                    .cpuNanos();
            assertThat(oshiProcesses.cpuNanos()).isBetween(1L, linuxNanosLater + 20_000_000);
        }
    }
}
