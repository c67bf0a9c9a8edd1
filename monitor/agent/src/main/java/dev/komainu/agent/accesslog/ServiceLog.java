package dev.komainu.agent.accesslog;

import dev.komainu.agent.pages.KnownPages;
import dev.komainu.telemetry.record.RecordSink;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The access log of one service: one file, or one for each of its virtual hosts in the same format.
 * Polled about once a second by one thread; each poll checks every file once and reads the new
 * lines.
 */
public final class ServiceLog implements AutoCloseable {

    /** Default length of a window. */
    public static final Duration WINDOW = Duration.ofSeconds(10);

    /** Time that a window waits for late entries. */
    public static final Duration HOLD = Duration.ofSeconds(30);

    private final LogLinePattern format;
    private final AccessLogWindows windows;
    private final ResponseCounter responses;
    private final List<LogTail> tails = new ArrayList<>();
    private final ParsedLogLine entry = new ParsedLogLine();
    private final int port;
    private long now;

    /**
     * Creates the log. The first {@link #poll} opens its files.
     *
     * @param service id of the service that writes the log
     * @param port requests logged with another port belong to another service; 0: every line counts
     * @param sink receives the windows, on the polling thread
     */
    public ServiceLog(
            String service,
            int port,
            List<Path> files,
            LogLinePattern format,
            long nowMicros,
            RecordSink sink) {
        this(service, port, files, format, HOLD, nowMicros, sink);
    }

    ServiceLog(
            String service,
            int port,
            List<Path> files,
            LogLinePattern format,
            Duration hold,
            long nowMicros,
            RecordSink sink) {
        this.format = format;
        this.responses = new ResponseCounter(new KnownPages().of(service));
        this.port = port;
        this.now = nowMicros;
        String description = files.getFirst()
                + (files.size() == 1 ? "" : " and " + (files.size() - 1) + " more");
        this.windows = new AccessLogWindows(
                service,
                description,
                format,
                WINDOW.toNanos() / 1_000,
                hold.toNanos() / 1_000,
                LoggedConcurrency.USUAL_MOST,
                nowMicros,
                sink);
        for (Path file : files) {
            tails.add(new LogTail(file, new Lines()));
        }
    }

    private final class Lines implements LogLineListener {
        @Override
        public void line(byte[] bytes, int from, int to) {
            if (!format.read(bytes, from, to, entry)) {
                windows.unreadable(now);
            } else if (port == 0 || entry.port == ParsedLogLine.ABSENT || entry.port == port) {
                windows.add(entry, now);
                responses.add(entry);
            }
        }

        @Override
        public void unreadable() {
            windows.unreadable(now);
        }
    }

    /**
     * Reads the new lines and reports the windows that are due; returns null, or the reason why a
     * file cannot be read now.
     */
    public @Nullable String poll(long nowMicros) {
        now = nowMicros;
        windows.restartIfSetBack(nowMicros);
        String lastProblem = null;
        for (LogTail tail : tails) {
            String problem = tail.poll();
            if (problem != null) {
                lastProblem = tail.file() + " " + problem;
            }
        }
        windows.advance(nowMicros);
        return lastProblem;
    }

    /** Returns the responses read since the last call. */
    public ResponseCounts takeResponses() {
        return responses.take();
    }

    /** Returns the entries that came after their window was reported. */
    public long late() {
        return windows.late();
    }

    /** Returns the entries left out of N_c because too many were in progress. */
    public long leftOutOfConcurrency() {
        return windows.leftOutOfConcurrency();
    }

    /** Returns the bytes skipped because the log grew faster than it was read. */
    public long skippedBytes() {
        return tails.stream().mapToLong(LogTail::skippedBytes).sum();
    }

    /** Reports the remaining windows, without waiting for late entries. */
    public void finish(long nowMicros) {
        poll(nowMicros);
        windows.flush(nowMicros);
    }

    @Override
    public void close() {
        tails.forEach(LogTail::close);
    }
}
