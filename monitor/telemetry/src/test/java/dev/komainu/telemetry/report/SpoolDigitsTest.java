package dev.komainu.telemetry.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.BatchId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names of the spool's segments in a locale with its own digits. */
class SpoolDigitsTest {

    private static final long LIMIT = 1 << 20;

    @TempDir
    Path directory;

    private Locale before = Locale.ROOT;

    @BeforeEach
    void setUp() {
        before = Locale.getDefault();
        Locale.setDefault(Locale.of("fa", "IR"));
        assertThat(String.format("%d", 1)).as("this locale has other digits").isEqualTo("۱");
    }

    @AfterEach
    void tearDown() {
        Locale.setDefault(before);
    }

    private Spool open() throws IOException {
        return new Spool(directory, LIMIT, new DropCounts(), Spool::create);
    }

    private static OutgoingBatch batch(long sequence) {
        return new OutgoingBatch(new BatchId("test", 7, sequence), 3, new byte[] {1, 2, 3});
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void restart_inAPersianLocale_findsItsBatches() throws Exception {
        try (Spool spool = open()) {
            spool.append(batch(1));
        }
        try (Spool reopened = open()) {
            assertThat(reopened.records()).isEqualTo(3);
            reopened.append(batch(2));
        }
        assertThat(names()).containsExactly("0000000000000001.seg", "0000000000000002.seg");
    }

    /** Versions before the first release wrote such names and did not find them again. */
    @Test
    void segmentsNamedInPersianDigits_areSentInOrder_andDeleted() throws Exception {
        for (long sequence = 1; sequence <= 2; sequence++) {
            try (Spool spool = open()) {
                spool.append(batch(sequence));
            }
        }
        for (String name : names()) {
            String number = name.substring(0, 16);
            Files.move(
                    directory.resolve(name),
                    directory.resolve(String.format("%016d.seg", Long.parseLong(number))));
        }
        assertThat(names()).containsExactly("۰۰۰۰۰۰۰۰۰۰۰۰۰۰۰۱.seg", "۰۰۰۰۰۰۰۰۰۰۰۰۰۰۰۲.seg");
        try (Spool reopened = open()) {
            reopened.append(batch(3));
            assertThat(names()).contains("0000000000000003.seg");
            for (long sequence = 1; sequence <= 3; sequence++) {
                OutgoingBatch oldest = reopened.peek();
                assertThat(oldest).isNotNull();
                assertThat(oldest.id()).isEqualTo(new BatchId("test", 7, sequence));
                reopened.remove(oldest);
            }
            assertThat(names()).isEmpty();
        }
    }
}
