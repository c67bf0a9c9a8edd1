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

/** What every probe owes, then what two probes of one host must agree on. */
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

    private static final WatchedServer OURSELVES =
            new WatchedServer("here:1", ProcessHandle.current().pid(), 1, List.of());

    @ParameterizedTest
    @EnumSource
    void probe_faultingProcess_tellsWhatItDid(Kind kind, @TempDir Path directory) throws Exception {
        try (HostSampler sampler = new HostSampler("here", kind.make.get())) {
            sampler.sample(List.of(OURSELVES));
            touchFreshPages(directory);
            HostSample sample = Objects.requireNonNull(sampler.sample(List.of(OURSELVES)));
            double seconds = sample.intervalMicros() / 1e6;
            HostSample.ServerProcesses told = sample.servers().getFirst();
            HostSample.Work work = Objects.requireNonNull(told.work());
            // The kernel may map 16 pages around the one that faulted.
            assertThat(work.minorFaults() * seconds).isBetween(PAGES / 16.0, PAGES * 100.0);
            assertThat(work.contextSwitches()).isNotNegative();
            assertThat(told.threads()).isGreaterThan(3);
            assertThat(told.residentBytes()).isGreaterThan(20_000_000);
            assertThat(sample.cpus()).hasSize(Runtime.getRuntime().availableProcessors());
            assertThat(sample.memory().available())
                    .isBetween(1L, sample.memory().total());
            assertThat(sample.samplingMicros()).isPositive();
        }
    }

    /** Pages of a file mapped and written to. */
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
            // A shell reads a pipe byte by byte: ten bytes and a line break, then one write; it
            // waits once a line.
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
    void bothProbes_agreeOnWhatBothKnow() {
        try (OshiProbe oshi = new OshiProbe();
                HostProbe linux = HostProbe.ofThisSystem()) {
            // OSHI keeps some answers for a while: theirs may be as old as its own first reading,
            // but not older.
            HostReading before = linux.read(List.of(OURSELVES));
            oshi.read(List.of(OURSELVES));
            HostReading first = linux.read(List.of(OURSELVES));
            HostReading theirs = oshi.read(List.of(OURSELVES));
            HostReading last = linux.read(List.of(OURSELVES));
            assertThat(theirs.cpus()).hasSameSizeAs(first.cpus());
            assertThat(theirs.memory().total()).isEqualTo(first.memory().total());
            assertThat(theirs.memory().swapTotal()).isEqualTo(first.memory().swapTotal());
            assertThat((double) theirs.memory().available())
                    .isCloseTo(first.memory().available(), within(first.memory().total() * 0.1));
            assertThat(theirs.kernel().contextSwitches())
                    .isBetween(before.kernel().contextSwitches(), last.kernel().contextSwitches());
            assertThat(theirs.load().fifteen()).isCloseTo(first.load().fifteen(), within(0.5));
            assertThat(theirs.stack().sentSegments())
                    .isBetween(before.stack().sentSegments(), last.stack().sentSegments());
            assertThat((double) theirs.processes())
                    .isCloseTo(first.processes(), within(first.processes() * 0.2 + 10));
            assertThat(theirs.disks())
                    .extracting(HostReading.Disk::name)
                    .containsAll(
                            first.disks().stream().map(HostReading.Disk::name).toList());
            assertThat(theirs.interfaces())
                    .extracting(HostReading.Interface::name)
                    .isSubsetOf(first.interfaces().stream()
                            .map(HostReading.Interface::name)
                            .toList());
            HostReading.Processes ours =
                    Objects.requireNonNull(first.servers().getFirst().processes());
            HostReading.Processes their =
                    Objects.requireNonNull(theirs.servers().getFirst().processes());
            assertThat((double) their.threads()).isCloseTo(ours.threads(), within(10.0));
            assertThat((double) their.residentBytes())
                    .isCloseTo(ours.residentBytes(), within(ours.residentBytes() * 0.3));
            // Ours holds the time of children that ended, too.
            long oursLater = Objects.requireNonNull(last.servers().getFirst().processes())
                    .cpuNanos();
            assertThat(their.cpuNanos()).isBetween(1L, oursLater + 20_000_000);
        }
    }
}
