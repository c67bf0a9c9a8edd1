package dev.komainu.telemetry.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The memory of revoked parts, and its file. */
class RevokedPartsTest {

    @TempDir
    Path data;

    private IdentityFiles files;

    @BeforeEach
    void setUp() throws IOException {
        files = new IdentityFiles(data);
        files.lock().close();
    }

    @Test
    void add_isTrueForNewParts_andNoneIsForgottenWhenItIsNotNamedAgain() throws IOException {
        RevokedParts parts = new RevokedParts(files);
        assertThat(parts.add(List.of("a", "b"))).isTrue();
        assertThat(parts.add(List.of("b"))).isFalse();
        assertThat(parts.add(List.of())).isFalse();
        assertThat(parts.add(List.of("c"))).isTrue();
        RevokedParts again = new RevokedParts(files);
        assertThat(List.of("a", "b", "c")).allMatch(again::contains);
        assertThat(again.contains("d")).isFalse();
    }

    @Test
    void add_moreThanTheLimit_forgetsTheOldest() throws IOException {
        RevokedParts parts = new RevokedParts(files);
        parts.add(List.of("first", "second"));
        parts.add(IntStream.range(1, RevokedParts.MOST)
                .mapToObj(Integer::toString)
                .toList());
        for (RevokedParts each : List.of(parts, new RevokedParts(files))) {
            assertThat(each.contains("first")).isFalse();
            assertThat(each.contains("second")).isTrue();
            assertThat(each.contains(Integer.toString(RevokedParts.MOST - 1))).isTrue();
        }
    }
}
