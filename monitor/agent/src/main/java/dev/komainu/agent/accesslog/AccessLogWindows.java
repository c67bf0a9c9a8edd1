package dev.komainu.agent.accesslog;

import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.RecordSink;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * Cuts what the logs of one service say into windows. A request belongs to the window in which it
 * was done; its span counts for N_c in every window it reaches into that was not told yet. A window
 * is told {@code hold} after its end: a server writes late, some write their log in blocks. Single
 * thread.
 */
final class AccessLogWindows {

    /** A log that is ahead of our clock by more is not believed. */
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
        final Histogram duration = Distribution.newRecorder();
    }

    /**
     * @param file as told in every window
     * @param holdMicros how long a window waits for late entries
     * @param mostSpans requests kept for N_c
     * @param fromMicros windows that begin earlier are not told: nothing is known of their
     *     beginning
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
     * Begins again with the clock's new time when it was set back by more than a window waits: else
     * every entry would be late until that time comes again. Windows begun are told with the times
     * they have.
     */
    void settle(long nowMicros) {
        if (nowMicros >= open - length - hold) {
            return;
        }
        while (!filling.isEmpty()) {
            open = filling.firstKey();
            tell();
        }
        spans.clear();
        open = Math.ceilDiv(nowMicros, length) * length;
    }

    /** Tells the windows that have waited long enough. */
    void advance(long nowMicros) {
        while (open + length + hold <= nowMicros) {
            if (filling.isEmpty() && nowMicros - open > 100 * length) {
                // The clock jumped, or the machine slept: nothing is known of the time between.
                open = Math.floorDiv(nowMicros - hold, length) * length;
                return;
            }
            tell();
        }
    }

    /** Tells every window that is over, late entries or not. */
    void flush(long nowMicros) {
        while (open + length <= nowMicros) {
            tell();
        }
    }

    private void tell() {
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
                window.entries,
                window.errors,
                window.bytes,
                window.unreadable,
                concurrency.mean(),
                concurrency.max(),
                format.hasDurations(),
                format.resolutionMicros(),
                Distribution.of(window.duration)));
        open += length;
        spans.dropBefore(open);
    }

    /** Entries that came when their window was told already. */
    long late() {
        return late;
    }

    /** Entries left out of N_c because too many were under way. */
    long leftOutOfConcurrency() {
        return spans.leftOut();
    }
}
