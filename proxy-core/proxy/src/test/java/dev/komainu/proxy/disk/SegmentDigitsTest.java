package dev.komainu.proxy.disk;

import static org.assertj.core.api.Assertions.assertThat;

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

/** The names of the disk tier's segments in a locale with digits of its own. */
class SegmentDigitsTest {

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

    private List<String> segments() throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(Segment.SUFFIX))
                    .sorted()
                    .toList();
        }
    }

    @Test
    void restart_inAPersianLocale_findsAllRecords() throws Exception {
        try (Shelf shelf = new Shelf(directory)) {
            shelf.put("/a", "a".repeat(5000));
            shelf.evictAll();
        }
        assertThat(segments()).containsExactly("0000000000000001.seg");
        try (Shelf again = new Shelf(directory)) {
            assertThat(again.body("/a")).isEqualTo("a".repeat(5000));
        }
    }

    /**
     * A segment with such a name was not found by the next process of an older version: it may
     * contain records purged since.
     */
    @Test
    void segmentNamedInPersianDigits_isDeletedAndCounted_andTheTierWorks() throws Exception {
        try (Shelf shelf = new Shelf(directory)) {
            shelf.put("/a", "a".repeat(5000));
            shelf.evictAll();
        }
        Files.move(
                directory.resolve("0000000000000001.seg"),
                directory.resolve(String.format("%016d.seg", 1)));
        assertThat(segments()).containsExactly("۰۰۰۰۰۰۰۰۰۰۰۰۰۰۰۱.seg");
        try (Shelf again = new Shelf(directory)) {
            assertThat(segments()).isEmpty();
            assertThat(again.tier.figures().upkeep().damaged()).isEqualTo(1);
            assertThat(again.read("/a")).isNull();
            again.put("/b", "b".repeat(5000));
            again.evictAll();
            assertThat(again.body("/b")).isEqualTo("b".repeat(5000));
        }
    }
}
