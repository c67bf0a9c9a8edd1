package dev.komainu.proxy.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.intermediary.caching.ProxyClock;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.proxy.tally.LoopTally;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines on their way to the file: full disks, rotations, many writers. */
class AccessLogTest {

    private static final byte[] CLIENT = "10.0.0.1".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NONE = new byte[0];
    private static final byte[] ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path directory;

    private final LoopTally tally = new LoopTally();

    private LogSettings settings(long maxBytes, int keep) {
        return new LogSettings(
                directory.resolve("access.log"),
                LogFormat.SQUID,
                false,
                maxBytes,
                keep,
                LogSettings.DEFAULT.mode());
    }

    private static RequestHead get(String path) {
        RequestHead head = new RequestHead();
        head.read(Unpooled.copiedBuffer(
                "GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n", StandardCharsets.ISO_8859_1));
        return head;
    }

    private static void hit(AccessLogWriter writer, RequestHead head) {
        writer.note(ANSWER, false, false);
        writer.line(
                CLIENT,
                head,
                200,
                CacheOutcome.HIT,
                null,
                100,
                System.nanoTime(),
                false,
                false,
                NONE);
    }

    private static List<String> paths(Path file) throws IOException {
        List<String> paths = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            String[] words = line.strip().split(" +");
            assertThat(words).as(line).hasSize(10);
            paths.add(words[6].replace("http://h/", ""));
        }
        return paths;
    }

    /** A file on a disk that accepts a limited number of bytes. */
    private final class SmallDisk extends LogFile {
        volatile long room;

        SmallDisk(long room) {
            super(directory.resolve("access.log"), 3, LogSettings.DEFAULT.mode());
            this.room = room;
        }

        @Override
        long write(ByteBuffer[] lines) throws IOException {
            if (room == 0) {
                throw new IOException("No space left on device");
            }
            long written = 0;
            for (ByteBuffer part : lines) {
                int fits = (int) Math.min(room - written, part.remaining());
                ByteBuffer some = part.slice(part.position(), fits);
                written += super.write(new ByteBuffer[] {some});
                part.position(part.position() + fits);
            }
            room -= written;
            return written;
        }

        @Override
        void shorten(long bytes) throws IOException {
            super.shorten(bytes);
        }
    }

    @Test
    void close_waitingLines_areWritten() throws IOException {
        AccessLog log = AccessLog.open(settings(0, 3));
        AccessLogWriter one = log.writer(tally, ProxyClock.SYSTEM);
        AccessLogWriter other = log.writer(tally, ProxyClock.SYSTEM);
        for (int i = 0; i < 100; i++) {
            hit(i % 2 == 0 ? one : other, get("/" + i));
        }
        log.close();
        assertThat(paths(directory.resolve("access.log"))).hasSize(100).contains("0", "57", "99");
        assertThat(tally.logLines).isEqualTo(100);
    }

    @Test
    void diskFull_noTornLine_lossesCounted_resumedAfterwards() throws IOException {
        SmallDisk disk = new SmallDisk(200);
        AccessLog log = AccessLog.open(settings(0, 3), disk, 1024);
        AccessLogWriter writer = log.writer(tally, ProxyClock.SYSTEM);
        hit(writer, get("/first"));
        hit(writer, get("/second"));
        hit(writer, get("/third"));
        Awaitility.await().until(log::isFailing);
        // About 90 bytes each: two fit, and nothing of the third is left.
        assertThat(paths(directory.resolve("access.log"))).containsExactly("first", "second");
        int given = 3;
        while (tally.logLostToDisk == 0) {
            hit(writer, get("/waits"));
            given++;
            assertThat(given).isLessThan(100);
        }
        disk.room = 1 << 20;
        Awaitility.await().until(() -> !log.isFailing());
        hit(writer, get("/last"));
        log.close();
        List<String> written = paths(directory.resolve("access.log"));
        assertThat(written)
                .startsWith("first", "second", "third", "waits")
                .endsWith("waits", "last");
        assertThat(written).hasSize((int) tally.logLines);
        assertThat(tally.logLines + tally.logLostToDisk + tally.logOverflows).isEqualTo(given + 1L);
        assertThat(tally.logOverflows).isZero();
    }

    @Test
    void slowThread_losesLinesAndCountsTheReason() throws IOException {
        AccessLog log = AccessLog.open(
                settings(0, 3),
                new LogFile(directory.resolve("access.log"), 3, LogSettings.DEFAULT.mode()),
                64);
        AccessLogWriter writer = log.writer(tally, ProxyClock.SYSTEM);
        hit(writer, get("/longer-than-the-whole-ring-so-that-it-never-fits"));
        log.close();
        assertThat(tally.logOverflows).isEqualTo(1);
        assertThat(tally.logLines).isZero();
    }

    @Test
    void rotate_keepsTheConfiguredNumber() throws IOException {
        AccessLog log = AccessLog.open(settings(0, 2));
        AccessLogWriter writer = log.writer(tally, ProxyClock.SYSTEM);
        Path file = directory.resolve("access.log");
        for (int i = 0; i < 4; i++) {
            hit(writer, get("/" + i));
            Awaitility.await().until(() -> Files.size(file) > 0);
            log.rotate();
            Awaitility.await().until(() -> Files.size(file) == 0);
        }
        hit(writer, get("/now"));
        log.close();
        assertThat(paths(file)).containsExactly("now");
        assertThat(paths(directory.resolve("access.log.0"))).containsExactly("3");
        assertThat(paths(directory.resolve("access.log.1"))).containsExactly("2");
        assertThat(directory.resolve("access.log.2")).doesNotExist();
    }

    @Test
    void rotate_keepNone_reopensAMovedFile() throws IOException {
        AccessLog log = AccessLog.open(settings(0, 0));
        AccessLogWriter writer = log.writer(tally, ProxyClock.SYSTEM);
        Path file = directory.resolve("access.log");
        hit(writer, get("/before"));
        Awaitility.await().until(() -> Files.size(file) > 0);
        Files.move(file, directory.resolve("moved"));
        log.rotate();
        Awaitility.await().until(() -> Files.exists(file));
        hit(writer, get("/after"));
        log.close();
        assertThat(paths(directory.resolve("moved"))).containsExactly("before");
        assertThat(paths(file)).containsExactly("after");
    }

    @Test
    void maxSize_reached_rotates() throws IOException {
        AccessLog log = AccessLog.open(settings(1 << 20, 2));
        AccessLogWriter writer = log.writer(tally, ProxyClock.SYSTEM);
        Path old = directory.resolve("access.log.0");
        RequestHead head = get("/" + "x".repeat(8000));
        long deadline = System.nanoTime() + 60_000_000_000L;
        while (!Files.exists(old) && System.nanoTime() < deadline) {
            hit(writer, head);
        }
        log.close();
        assertThat(Files.size(old)).isGreaterThanOrEqualTo(1 << 20);
    }

    @Test
    void open_missingDirectory_isReportedByName() {
        assertThatThrownBy(() -> AccessLog.open(new LogSettings(
                        directory.resolve("no/access.log"),
                        LogFormat.SQUID,
                        false,
                        0,
                        1,
                        LogSettings.DEFAULT.mode())))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("log.access: ");
    }

    @Test
    void localUser_readsAccessLog_isKeptOutByItsMode() throws IOException {
        Path file = directory.resolve("access.log");
        Files.createFile(file);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        AccessLog log = AccessLog.open(settings(0, 3));
        log.close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-r-----");
        Files.delete(file);
        log = AccessLog.open(new LogSettings(
                file, LogFormat.SQUID, false, 0, 1, PosixFilePermissions.fromString("rw-------")));
        log.close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void fullDevice_neverStopsTheWriter() throws IOException {
        Path full = Path.of("/dev/full");
        org.junit.jupiter.api.Assumptions.assumeTrue(
                Files.exists(full), full + ": not there (expected: Linux)");
        AccessLog log = AccessLog.open(
                new LogSettings(full, LogFormat.SQUID, false, 0, 1, LogSettings.DEFAULT.mode()),
                new LogFile(full, 1, LogSettings.DEFAULT.mode()),
                1024);
        AccessLogWriter writer = log.writer(tally, ProxyClock.SYSTEM);
        hit(writer, get("/a"));
        Awaitility.await().until(log::isFailing);
        for (int i = 0; i < 100; i++) {
            hit(writer, get("/a"));
        }
        log.close();
        assertThat(tally.logLostToDisk).isPositive();
        assertThat(tally.logLines + tally.logLostToDisk + tally.logOverflows).isEqualTo(101);
    }

    /** The project's rule for hits: a line of a hit allocates no object either. */
    @Test
    void line_ofAHit_allocatesNothing() throws Exception {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (LogFormat format : new LogFormat[] {LogFormat.SQUID, LogFormat.JSON}) {
            AccessLog log = AccessLog.open(new LogSettings(
                    directory.resolve(format + ".log"),
                    format,
                    true,
                    0,
                    1,
                    LogSettings.DEFAULT.mode()));
            AccessLogWriter writer = log.writer(tally, ProxyClock.SYSTEM);
            byte[] client = writer.client(InetAddress.ofLiteral("2001:db8::7"));
            RequestHead head = get("/a?b");
            long id = Thread.currentThread().threadId();
            long least = Long.MAX_VALUE;
            for (int round = 0; round < 20; round++) {
                long before = threads.getThreadAllocatedBytes(id);
                for (int i = 0; i < 1000; i++) {
                    writer.note(ANSWER, false, false);
                    writer.line(
                            client, head, 200, CacheOutcome.HIT, null, 100, 0, false, false, NONE);
                }
                least = Math.min(least, threads.getThreadAllocatedBytes(id) - before);
            }
            log.close();
            // The formatted time is renewed once a second.
            assertThat(least).as(format.name()).isLessThan(4096);
        }
    }
}
