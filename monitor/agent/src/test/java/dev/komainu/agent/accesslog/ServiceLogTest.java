package dev.komainu.agent.accesslog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.telemetry.record.AccessLogWindow;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Entries in, windows out. */
class ServiceLogTest {

    private static final long S = 1_000_000;
    private static final long START = 1_795_262_400L * S;
    private static final String TIMED = "$msec $request_time $status $body_bytes_sent";

    @TempDir
    private Path directory;

    private Path log;
    private final List<AccessLogWindow> told = new ArrayList<>();

    @BeforeEach
    void setUp() throws Exception {
        log = Files.createFile(directory.resolve("access.log"));
    }

    @Test
    void poll_overlappingRequests_giveTheMeanAndTheHighestN_c() throws Exception {
        try (ServiceLog service = service(TIMED)) {
            service.poll(START);
            // 2 to 6, 4 to 8, 9 to 13 s: 4 + 4 + 1 seconds of work in the first ten.
            write(
                    "1795262406.000 4.000 200 100",
                    "1795262408.000 4.000 503 50",
                    "1795262413.000 4.000 200 7");
            service.poll(START + 15 * S);
            assertThat(told).isEmpty();
            service.poll(START + 40 * S);
        }

        assertThat(told).hasSize(1);
        AccessLogWindow first = told.getFirst();
        assertThat(first.fromMicros()).isEqualTo(START);
        assertThat(first.lengthMicros()).isEqualTo(10 * S);
        assertThat(first.counts().entries()).isEqualTo(2);
        assertThat(first.counts().errors()).isEqualTo(1);
        assertThat(first.counts().bytes()).isEqualTo(150);
        assertThat(first.concurrentMean()).isCloseTo(0.9, within(0.001));
        assertThat(first.concurrentMax()).isEqualTo(2);
        assertThat(first.durations().hasDurations()).isTrue();
        assertThat(first.durations().resolutionMicros()).isEqualTo(1_000);
        assertThat(first.durations().duration().count()).isEqualTo(2);
    }

    @Test
    void poll_lateAndUnreadable_areCounted() throws Exception {
        try (ServiceLog service = service(TIMED)) {
            service.poll(START);
            write("garbage", "1795262405.000 0.001 200 1");
            service.poll(START + 5 * S);
            service.poll(START + 45 * S);
            write("1795262406.000 0.001 200 1", "1999999999.000 0.001 200 1");
            service.poll(START + 46 * S);
            service.finish(START + 61 * S);
            assertThat(service.late()).isEqualTo(1);
        }

        assertThat(told)
                .extracting(window -> window.counts().entries())
                .containsExactly(1L, 0L, 0L, 0L, 0L, 0L);
        assertThat(told)
                .extracting(window -> window.counts().unreadable())
                .containsExactly(1L, 0L, 0L, 0L, 1L, 0L);
    }

    @Test
    void poll_clockSetBackByAnHour_goesOnWithTheNewTime() throws Exception {
        long back = START - 3_600 * S;
        try (ServiceLog service = service(TIMED)) {
            service.poll(START);
            write("1795262405.000 0.001 200 1");
            service.poll(START + 6 * S);
            write("1795258813.000 0.001 200 1", "1795258814.000 0.001 200 1");
            service.poll(back + 7 * S);
            service.poll(back + 14 * S);
            service.poll(back + 60 * S);
            assertThat(service.late()).isZero();
        }

        assertThat(told).extracting(AccessLogWindow::fromMicros).startsWith(START, back + 10 * S);
        assertThat(told).extracting(window -> window.counts().entries()).startsWith(1L, 2L);
    }

    @Test
    void poll_clockSetBackByAnHour_theHourThatComesAgainCountsNothingTwice() throws Exception {
        long back = START - 3_600 * S;
        try (ServiceLog service = service(TIMED)) {
            service.poll(START);
            // Ends with its window: by the log's resolution it may reach into the next.
            write("1795262409.999 4.000 200 1");
            service.poll(START + 10 * S);
            for (long at = back + 7 * S; at <= START + 60 * S; at += 10 * S) {
                service.poll(at);
            }
        }

        assertThat(told)
                .filteredOn(window -> window.fromMicros() == START)
                .extracting(AccessLogWindow::concurrentMax)
                .containsExactly(1L, 0L);
    }

    @Test
    void poll_fullSecondsOnly_spreadsTheRequestsOfASecond() throws Exception {
        try (ServiceLog service = service("[$time_local] $request_time")) {
            service.poll(START);
            write(IntStream.range(0, 100)
                    .mapToObj(i -> "[21/Nov/2026:12:00:05 +0000] 0.005")
                    .toArray(String[]::new));
            service.finish(START + 12 * S);
        }

        assertThat(told.getFirst().concurrentMax()).isEqualTo(1);
        assertThat(told.getFirst().concurrentMean()).isCloseTo(0.05, within(0.001));
        assertThat(told.getFirst().durations().resolutionMicros()).isEqualTo(S);
    }

    @Test
    void poll_noDurations_everyEntryIsAnInstantAndItIsSaid() throws Exception {
        try (ServiceLog service = service("combined")) {
            service.poll(START);
            write("1.2.3.4 - - [21/Nov/2026:12:00:05 +0000] \"GET /\" 200 5 \"-\" \"-\"");
            service.finish(START + 12 * S);
        }

        assertThat(told.getFirst().durations().hasDurations()).isFalse();
        assertThat(told.getFirst().concurrentMean()).isZero();
        assertThat(told.getFirst().concurrentMax()).isEqualTo(1);
        assertThat(told.getFirst().durations().duration().count()).isZero();
    }

    @Test
    void poll_sharedFile_countsOnlyItsOwnPort() throws Exception {
        try (ServiceLog service = new ServiceLog(
                "web-01:80",
                80,
                List.of(log),
                LogLinePattern.compile("$msec $server_port"),
                START,
                it -> told.add(window(it)))) {
            service.poll(START);
            write("1795262401.000 80", "1795262402.000 443");
            service.finish(START + 12 * S);
        }

        assertThat(told.getFirst().counts().entries()).isEqualTo(1);
    }

    @Test
    void poll_tenThousandRequestsASecond_staysExact() throws Exception {
        String[] lines = IntStream.range(0, 100_000)
                .mapToObj(i -> String.format(
                        Locale.ROOT,
                        "1795262%03d.%03d 0.010 200 1",
                        400 + i / 10_000,
                        i / 10 % 1_000))
                .toArray(String[]::new);
        try (ServiceLog service = service(TIMED)) {
            service.poll(START);
            write(lines);
            service.finish(START + 12 * S);
        }

        assertThat(told.getFirst().counts().entries()).isEqualTo(100_000);
        assertThat(told.getFirst().concurrentMean()).isCloseTo(100, within(0.2));
        assertThat(told.getFirst().concurrentMax()).isBetween(100L, 101L);
    }

    /** Counted at once; the windows wait for late entries. */
    @Test
    void takeResponses_errorsAndLostPages_areCountedAsRead() throws Exception {
        try (ServiceLog service = service("combined")) {
            service.poll(START);
            writeRequests("/a 200", "/b 304", "/c 500", "/never 404", "/c 503");
            service.poll(START + S);
            assertThat(service.takeResponses()).isEqualTo(new ResponseCounts(5, 1, 1, 0));

            writeRequests("/a 404", "/b 403", "/never 404", "/c 410");
            service.poll(START + 2 * S);
            assertThat(service.takeResponses()).isEqualTo(new ResponseCounts(4, 0, 0, 2));
            assertThat(service.takeResponses()).isEqualTo(ResponseCounts.NONE);
        }
    }

    /** A format without the request: the errors are counted, lost pages cannot be. */
    @Test
    void takeResponses_withoutTheRequest_countsErrorsOnly() throws Exception {
        try (ServiceLog service = service(TIMED)) {
            service.poll(START);
            write(
                    "1795262406.000 0.001 200 1",
                    "1795262406.000 0.001 404 1",
                    "1795262406.000 0.001 502 1");
            service.poll(START + S);
            assertThat(service.takeResponses()).isEqualTo(new ResponseCounts(3, 1, 0, 0));
        }
    }

    private void writeRequests(String... pathsAndStatuses) throws Exception {
        write(Stream.of(pathsAndStatuses)
                .map(each -> each.split(" "))
                .map(each -> "1.2.3.4 - - [21/Nov/2026:12:00:05 +0000] \"GET " + each[0]
                        + " HTTP/2.0\" " + each[1] + " 5 \"-\" \"-\"")
                .toArray(String[]::new));
    }

    private ServiceLog service(String format) throws Exception {
        return new ServiceLog(
                "web-01:80",
                0,
                List.of(log),
                LogLinePattern.compile(LogDialect.NGINX, format),
                START,
                it -> told.add(window(it)));
    }

    private static AccessLogWindow window(Object record) {
        return (AccessLogWindow) record;
    }

    private void write(String... lines) throws Exception {
        Files.writeString(log, String.join("\n", lines) + "\n", StandardOpenOption.APPEND);
    }
}
