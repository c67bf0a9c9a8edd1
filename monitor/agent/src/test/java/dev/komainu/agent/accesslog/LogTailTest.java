package dev.komainu.agent.accesslog;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A log that grows, is renamed, truncated, cut and damaged. */
class LogTailTest {

    @TempDir
    private Path directory;

    private Path log;
    private LogTail tail;
    private final List<String> seen = new ArrayList<>();

    @BeforeEach
    void setUp() throws Exception {
        log = directory.resolve("access.log");
        Files.writeString(log, "old 1\nold 2\n");
        tail = new LogTail(log, new LogLineListener() {
            @Override
            public void line(byte[] bytes, int from, int to) {
                seen.add(new String(bytes, from, to - from, StandardCharsets.ISO_8859_1));
            }

            @Override
            public void unreadable() {
                seen.add("?");
            }
        });
        assertThat(tail.poll()).isNull();
    }

    @AfterEach
    void tearDown() {
        tail.close();
    }

    @Test
    void poll_linesInPieces_areReportedWhenComplete() throws Exception {
        append(log, "a 1\nb");
        tail.poll();
        append(log, " 2");
        tail.poll();
        append(log, "\r\nc 3\n");
        tail.poll();

        assertThat(seen).containsExactly("a 1", "b 2", "c 3");
    }

    @Test
    void poll_renamedAndMadeAnew_readsBothWithoutLoss() throws Exception {
        append(log, "a\n");
        Path rotated = directory.resolve("access.log.1");
        Files.move(log, rotated);
        assertThat(tail.poll()).contains("does not exist");
        append(rotated, "b\n");
        Files.writeString(log, "new 1\n");
        tail.poll();
        append(rotated, "last words of a worker\n");
        append(log, "new 2\n");
        tail.poll();

        assertThat(seen)
                .containsExactlyInAnyOrder("a", "b", "new 1", "new 2", "last words of a worker");
    }

    @Test
    void poll_copiedAndEmptied_beginsAnew() throws Exception {
        append(log, "a\nhalf a li");
        tail.poll();
        Files.writeString(log, "new\n");
        tail.poll();

        assertThat(seen).containsExactly("a", "?", "new");
    }

    @Test
    void poll_begunWithinALine_leavesItsRestOut() throws Exception {
        Path other = directory.resolve("other.log");
        Files.writeString(other, "whole\nhal");
        List<String> lines = new ArrayList<>();
        try (LineReader reader = new LineReader(other, true)) {
            append(other, "f\nnext\n");
            reader.read(1_000, new LogLineListener() {
                @Override
                public void line(byte[] bytes, int from, int to) {
                    lines.add(new String(bytes, from, to - from, StandardCharsets.ISO_8859_1));
                }

                @Override
                public void unreadable() {
                    lines.add("?");
                }
            });
        }

        assertThat(lines).containsExactly("next");
    }

    @Test
    void poll_hugeLineAndBinary_areCountedAndTheNextLineIsRead() throws Exception {
        append(log, "x".repeat(300_000) + "\nafter\n\0\1\2\n");
        tail.poll();

        assertThat(seen).containsExactly("?", "after", "\0\1\2");
    }

    @Test
    void poll_directoryInsteadOfAFile_isReported() throws Exception {
        try (LogTail other = new LogTail(directory, new LogLineListener() {
            @Override
            public void line(byte[] bytes, int from, int to) {}

            @Override
            public void unreadable() {}
        })) {
            assertThat(other.poll()).isEqualTo("is not a regular file");
        }
    }

    @Test
    void poll_madeLater_isReadFromItsBeginning() throws Exception {
        Path later = directory.resolve("later.log");
        List<String> lines = new ArrayList<>();
        try (LogTail other = new LogTail(later, new LogLineListener() {
            @Override
            public void line(byte[] bytes, int from, int to) {
                lines.add(new String(bytes, from, to - from, StandardCharsets.ISO_8859_1));
            }

            @Override
            public void unreadable() {}
        })) {
            assertThat(other.poll()).isEqualTo("does not exist");
            Files.writeString(later, "first\n");
            assertThat(other.poll()).isNull();
        }

        assertThat(lines).containsExactly("first");
    }

    private static void append(Path file, String text) throws Exception {
        Files.writeString(file, text, StandardOpenOption.APPEND);
    }
}
