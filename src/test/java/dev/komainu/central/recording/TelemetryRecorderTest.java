package dev.komainu.central.recording;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.recording.RecordedEvent.Accepted;
import dev.komainu.central.recording.RecordedEvent.Ticked;
import dev.komainu.central.store.SomeRecords;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.record.BatchId;
import dev.komainu.telemetry.record.TelemetryRecord;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of recordings: what was accepted is read again, within bounds, whatever was cut off. */
class TelemetryRecorderTest {

    private static final Instant NOW = Instant.parse("2026-11-26T10:00:00.850Z");
    private static final long NOW_MICROS = 1_795_687_200_850_000L;

    @TempDir
    Path temporary;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private Path directory() {
        return temporary.resolve("recording");
    }

    private TelemetryRecorder recorder(long limit) {
        return new TelemetryRecorder(
                directory(), limit, registry, Clock.fixed(NOW, ZoneOffset.UTC));
    }

    private double count(String outcome) {
        return registry.counter("komainu.recording.batches", "outcome", outcome).count();
    }

    private static Batch batch(int sequence, int records) {
        SomeRecords some = new SomeRecords(sequence);
        List<TelemetryRecord> content = IntStream.range(0, records)
                .<TelemetryRecord>mapToObj(i -> some.connection(1_000L * i))
                .toList();
        return new Batch(new BatchId("agent@web-01", 7, sequence), content);
    }

    private static Batch status(int sequence) {
        return new Batch(
                new BatchId("agent@web-01", 7, sequence),
                List.of(new SomeRecords(sequence).status(1_000)));
    }

    private List<RecordedEvent> read() throws IOException {
        List<RecordedEvent> events = new ArrayList<>();
        new RecordingReader(directory()).read(events::add);
        return events;
    }

    @Test
    void recorded_isReadInItsOrder() throws IOException {
        try (TelemetryRecorder recorder = recorder(1 << 20)) {
            recorder.stored(batch(1, 5));
            recorder.assessed(Assessment.nothingYet(NOW.minusMillis(1)));
            recorder.stored(batch(2, 1));
        }

        assertThat(read())
                .containsExactly(
                        new Accepted(NOW_MICROS, false, batch(1, 5)),
                        new Ticked(NOW_MICROS - 1_000),
                        new Accepted(NOW_MICROS, false, batch(2, 1)));
        assertThat(count("written")).isEqualTo(2);
    }

    @Test
    void recorded_filesAreTheOwnersAlone() throws IOException {
        try (TelemetryRecorder recorder = recorder(1 << 20)) {
            recorder.stored(batch(1, 5));
        }

        assertThat(new RecordingReader(directory()).files())
                .singleElement()
                .satisfies(file -> assertThat(
                                PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .isEqualTo("rw-------"));
    }

    @Test
    void limit_reached_oldestFilesGoAndAreCounted() throws IOException {
        long limit = 1 << 20;
        // Each recorder writes one file: no assumption about the writer's pace.
        for (int run = 1; run <= 12; run++) {
            try (TelemetryRecorder recorder = recorder(limit)) {
                recorder.stored(batch(run, 2_000));
            }
        }

        List<Path> files = new RecordingReader(directory()).files();
        long bytes = files.stream().mapToLong(file -> file.toFile().length()).sum();
        double deleted = registry.counter("komainu.recording.files.deleted").count();
        assertThat(bytes).isLessThanOrEqualTo(limit);
        assertThat(deleted).isPositive();
        assertThat(files).hasSize(12 - (int) deleted);
        assertThat(read())
                .last()
                .isInstanceOfSatisfying(
                        Accepted.class,
                        last -> assertThat(last.batch().id().sequence()).isEqualTo(12));
    }

    @Test
    void files_ofOneRun_eachCanBeReadAlone() throws IOException {
        try (TelemetryRecorder recorder = recorder(8 << 20)) {
            recorder.stored(status(1));
            for (int i = 2; i < 40; i++) {
                recorder.stored(batch(i, 2_000));
            }
        }

        List<Path> files = new RecordingReader(directory()).files();
        assertThat(files).hasSizeGreaterThan(1);
        List<RecordedEvent> second = new ArrayList<>();
        new RecordingReader(files.get(1)).read(second::add);
        assertThat(second)
                .first()
                .isEqualTo(new Accepted(
                        NOW_MICROS,
                        true,
                        new Batch(new BatchId("agent@web-01", 0, 0), status(1).records())));
        assertThat(read().stream()
                        .filter(event -> event instanceof Accepted accepted && accepted.repeated()))
                .as("facts repeated for the second file, read after the first")
                .isEmpty();
    }

    @Test
    void batch_beyondTheWaitingBytes_isDroppedAndCounted() throws IOException {
        try (TelemetryRecorder recorder = new TelemetryRecorder(
                directory(), 8 << 20, 4_000, registry, Clock.fixed(NOW, ZoneOffset.UTC))) {
            recorder.stored(batch(1, 100));
            recorder.stored(batch(2, 1));
        }

        assertThat(count("dropped")).isEqualTo(1);
        assertThat(read()).containsExactly(new Accepted(NOW_MICROS, false, batch(2, 1)));
    }

    @Test
    void disk_refuses_batchesAreCountedAndTheServiceGoesOn() throws IOException {
        try (TelemetryRecorder recorder = recorder(8 << 20)) {
            Files.createFile(directory().resolve("0000000000000001.rec"));
            recorder.stored(batch(1, 3));
        }

        assertThat(count("failed")).isEqualTo(1);
    }

    @Test
    void directory_thatIsAFile_isRefusedAtTheStart() throws IOException {
        Files.createFile(directory());

        assertThatThrownBy(() -> recorder(1 << 20))
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("komainu.ingest.recording");
    }

    /** A kill leaves the beginning of a write: at each length, whole blocks are read. */
    @Test
    void file_cutOffAnywhere_givesItsWholeBlocks() throws IOException {
        for (int run = 1; run <= 3; run++) {
            try (TelemetryRecorder recorder = recorder(1 << 20)) {
                recorder.stored(batch(run, 2));
            }
        }
        List<Path> files = new RecordingReader(directory()).files();
        byte[] first = Files.readAllBytes(files.get(0));
        byte[] second = Files.readAllBytes(files.get(1));
        byte[] both = Arrays.copyOf(first, first.length + second.length - 8);
        System.arraycopy(second, 8, both, first.length, second.length - 8);
        Path cut = temporary.resolve("cut.rec");
        for (int length = 0; length <= both.length; length++) {
            Files.write(cut, Arrays.copyOf(both, length));
            List<RecordedEvent> events = new ArrayList<>();
            RecordingReader reader = new RecordingReader(cut);
            reader.read(events::add);

            int whole = length == both.length ? 2 : length >= first.length ? 1 : 0;
            boolean atAnEnd = length == 8 || length == first.length || length == both.length;
            assertThat(events).as("events of %d bytes", length).hasSize(whole);
            if (length < first.length || length >= first.length + 4) {
                assertThat(reader.damaged())
                        .as("damage of %d bytes", length)
                        .isEqualTo(atAnEnd || (length > 8 && length < 12) ? 0 : 1);
            }
        }
    }

    @Test
    void block_damaged_isSkippedAndCounted() throws IOException {
        for (int run = 1; run <= 2; run++) {
            try (TelemetryRecorder recorder = recorder(1 << 20)) {
                recorder.stored(batch(run, 2));
            }
        }
        List<Path> files = new RecordingReader(directory()).files();
        byte[] bytes = Files.readAllBytes(files.getFirst());
        bytes[bytes.length - 1] ^= 1;
        Files.write(files.getFirst(), bytes);

        List<RecordedEvent> events = new ArrayList<>();
        RecordingReader reader = new RecordingReader(directory());
        reader.read(events::add);

        assertThat(reader.damaged()).isEqualTo(1);
        assertThat(events).containsExactly(new Accepted(NOW_MICROS, false, batch(2, 2)));
    }

    @Test
    void file_ofAnotherKind_isRefused() throws IOException {
        Path other = Files.write(temporary.resolve("other.rec"), new byte[100]);

        assertThatThrownBy(() -> new RecordingReader(other).read(event -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not a recording");
    }
}
