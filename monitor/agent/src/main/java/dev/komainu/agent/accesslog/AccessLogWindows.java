package dev.komainu.agent.accesslog;

import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.RecordSink;
import java.util.TreeMap;
import org.HdrHistogram.AbstractHistogram;

/**
 * Windows of one service's access logs. A request belongs to the window in which it ended; its span
 * counts for N_c in every window that it overlaps and that was not reported yet. A window is
 * reported {@code hold} after its end: a server writes late, and some servers write their log in
 * blocks. Single thread.
 */
final class AccessLogWindows {

    /** Largest accepted difference by which a log is ahead of this host's clock. */
    private static final long MOST_AHEAD_MICROS = 120_000_000;

    private final String service;
    private final String file;
    private final LogLinePattern format;
    private final long length;
    private final long hold;
    private final RecordSink sink;
    private final LoggedConcurrency spans;
    private final TreeMap<Long, Filling> filling = new TreeMap<>();
    private long open;
    private long late;

    private static final class Filling {
        long entries;
        long errors;
        long bytes;
        long unreadable;
        final AbstractHistogram duration = Distribution.newSmallRecorder();
    }

    /**
     * Creates the windows of one service.
     *
     * @param file name of the file, as reported in every window
     * @param holdMicros time that a window waits for late entries
     * @param mostSpans requests kept for N_c
     * @param fromMicros windows that begin earlier are not reported: their beginning is not known
     */
    AccessLogWindows(
            String service,
            String file,
            LogLinePattern format,
            long lengthMicros,
            long holdMicros,
            int mostSpans,
            long fromMicros,
            RecordSink sink) {
        this.service = service;
        this.file = file;
        this.format = format;
        this.length = lengthMicros;
        this.hold = holdMicros;
        this.open = Math.ceilDiv(fromMicros, lengthMicros) * lengthMicros;
        this.sink = sink;
        this.spans = new LoggedConcurrency(
                mostSpans, format.resolutionMicros(), format.isTimedAtBegin());
    }

    void add(ParsedLogLine entry, long nowMicros) {
        long duration = Math.max(0, entry.durationMicros);
        long end = format.isTimedAtBegin() ? entry.timeMicros + duration : entry.timeMicros;
        if (end > nowMicros + MOST_AHEAD_MICROS) {
            unreadable(nowMicros);
            return;
        }
        if (end < open) {
            late++;
            return;
        }
        spans.add(entry.timeMicros, duration);
        Filling window = at(end);
        window.entries++;
        window.bytes += Math.max(0, entry.bytes);
        if (entry.status >= 500 && entry.status < 600) {
            window.errors++;
        }
        if (entry.durationMicros != ParsedLogLine.ABSENT) {
            Distribution.record(window.duration, entry.durationMicros);
        }
    }

    void unreadable(long nowMicros) {
        at(Math.max(open, nowMicros)).unreadable++;
    }

    private Filling at(long micros) {
        return filling.computeIfAbsent(
                Math.floorDiv(micros, length) * length, from -> new Filling());
    }

    /**
     * Restarts with the clock's new time when the clock was set back by more than the hold;
     * otherwise every entry would be late until the old time comes again. Windows with entries are
     * reported with their old times.
     */
    void restartIfSetBack(long nowMicros) {
        if (nowMicros >= open - length - hold) {
            return;
        }
        while (!filling.isEmpty()) {
            open = filling.firstKey();
            report();
        }
        spans.clear();
        open = Math.ceilDiv(nowMicros, length) * length;
    }

    /** Reports the windows that have waited long enough. */
    void advance(long nowMicros) {
        while (open + length + hold <= nowMicros) {
            if (filling.isEmpty() && nowMicros - open > 100 * length) {
                // The clock jumped, or the machine was suspended: the time between is not known.
                open = Math.floorDiv(nowMicros - hold, length) * length;
                return;
            }
            report();
        }
    }

    /** Reports every window that is over, without waiting for late entries. */
    void flush(long nowMicros) {
        while (open + length <= nowMicros) {
            report();
        }
    }

    private void report() {
        Filling window = filling.remove(open);
        if (window == null) {
            window = new Filling();
        }
        LoggedConcurrency.Concurrency concurrency = spans.over(open, open + length);
        sink.accept(new AccessLogWindow(
                service,
                open,
                length,
                file,
                format.name(),
                new AccessLogWindow.Counts(
                        window.entries, window.errors, window.bytes, window.unreadable),
                concurrency.mean(),
                concurrency.max(),
                new AccessLogWindow.Durations(
                        format.hasDurations(),
                        format.resolutionMicros(),
                        Distribution.of(window.duration))));
        open += length;
        spans.dropBefore(open);
    }

    /** Returns the entries that came after their window was reported. */
    long late() {
        return late;
    }

    /** Returns the entries left out of N_c because too many were in progress. */
    long leftOutOfConcurrency() {
        return spans.leftOut();
    }
}
