package dev.komainu.central.indices;

import dev.komainu.central.store.ServiceSum;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The election of one source among several for the live seconds of one service. The elected source
 * stays elected; the reports of the others are kept for a quarter of a minute and used where they
 * are needed, so that no second is counted twice and none is lost. Another source is elected
 *
 * <ul>
 *   <li>when the elected source did not report for {@value #PATIENCE_SECONDS} s by the central
 *       service's clock, or reports times {@value #BEHIND_SECONDS} s behind the other (a drained
 *       spool): the seconds since its last one are filled from the kept reports, and its last one,
 *       which may be partial, is replaced;
 *   <li>when two of its last three seconds have packet loss and the other's have none: those are
 *       replaced;
 *   <li>when an agent beside the server has reported three seconds without loss: it also captures
 *       packets that never leave the host.
 * </ul>
 *
 * <p>A second that only others report is taken from them when it is {@value #PATIENCE_SECONDS} s
 * old. So is the first second after a pause of the elected source, which may be partial (after a
 * restart), and a second that it marks as partial. A source that names the server by several
 * addresses reports each; these are summed. Guarded by its owner's lock.
 */
final class LiveSourceElection {

    static final long SECOND_MICROS = 1_000_000;

    static final int PATIENCE_SECONDS = 3;
    static final int BEHIND_SECONDS = 6;

    /** Seconds for which reports are kept; older seconds were written, or are lost for the ring. */
    static final int REMEMBERED_SECONDS = 15;

    private static final int MAX_SOURCES = 16;
    private static final ServiceSum SUM = new ServiceSum();

    /** A second to be written into the rings, in place of an earlier value. */
    record SecondUpdate(long second, ServiceWindow window) {}

    private static final class SourceReports {
        final String source;
        boolean beside;
        long lastReportMillis;
        final TreeMap<Long, ServiceWindow> recent = new TreeMap<>();

        SourceReports(String source) {
            this.source = source;
        }

        ServiceWindow add(long second, ServiceWindow window) {
            ServiceWindow merged = recent.merge(second, window, SUM::beside);
            while (recent.size() > REMEMBERED_SECONDS) {
                recent.pollFirstEntry();
            }
            return merged;
        }

        /**
         * Reports whether the source probably observed the whole second: it also reported the
         * second before, and reported this one without a gap.
         */
        boolean isComplete(long second) {
            ServiceWindow window = recent.get(second);
            return window != null && isFullSecond(window) && recent.containsKey(second - 1);
        }

        boolean resumesIn(long second) {
            return recent.lowerKey(second) != null && !isComplete(second);
        }

        boolean isClean(long second) {
            ServiceWindow window = recent.get(second);
            return window != null && !SUM.isLossy(window);
        }

        boolean isLossy(long second) {
            ServiceWindow window = recent.get(second);
            return window != null && SUM.isLossy(window);
        }
    }

    private final Map<String, SourceReports> sources = new HashMap<>();
    private final long[] seconds;
    private final @Nullable String[] writers;
    private @Nullable SourceReports elected;
    private long newest = Long.MIN_VALUE;
    private long unused;

    /**
     * Creates an election without sources.
     *
     * @param slots seconds for which the election remembers that they were written
     */
    LiveSourceElection(int slots) {
        this.seconds = new long[slots];
        this.writers = new String[slots];
        Arrays.fill(seconds, Long.MIN_VALUE);
    }

    /** Returns the elected source; null before the first report. */
    @Nullable
    String elected() {
        return elected == null ? null : elected.source;
    }

    /**
     * Returns the number of windows so far that were not used because another source was elected.
     */
    long unused() {
        return unused;
    }

    /**
     * Accepts one second reported by a source.
     *
     * @param beside the source uses the service's own id: it runs on the server's host
     * @return seconds to be written now, in order of time
     */
    List<SecondUpdate> accept(String source, boolean beside, ServiceWindow window, long nowMillis) {
        SourceReports reports = sources.computeIfAbsent(source, SourceReports::new);
        reports.beside |= beside;
        reports.lastReportMillis = nowMillis;
        long second = window.fromMicros() / SECOND_MICROS;
        ServiceWindow merged = reports.add(second, window);
        List<SecondUpdate> updates = new ArrayList<>(1);
        SourceReports previous = elected;
        if (previous == null) {
            elected = reports;
        } else if (previous != reports && shouldTakeOver(previous, reports, nowMillis)) {
            elected = reports;
            takeOver(previous, reports, isSilent(previous, nowMillis), updates);
        }
        boolean isPossiblyPartial = sources.size() > 1 && reports.resumesIn(second);
        if (elected == reports
                && (isWritten(second) ? source.equals(writerOf(second)) : !isPossiblyPartial)) {
            write(reports, second, merged, updates);
        }
        if (sources.size() > 1) {
            sources.values().forEach(other -> fillGaps(other, true, updates));
            sources.values().forEach(other -> fillGaps(other, false, updates));
            removeSilent(nowMillis);
        }
        if (updates.isEmpty()) {
            unused++;
        }
        return updates;
    }

    /**
     * Notes a second that was written from the union of all sources: it is not replaced.
     *
     * @return whether the second is not older than the remembered ones
     */
    boolean settled(long second) {
        if (newest != Long.MIN_VALUE && second <= newest - seconds.length) {
            return false;
        }
        int slot = (int) Math.floorMod(second, (long) seconds.length);
        seconds[slot] = second;
        writers[slot] = null;
        newest = Math.max(newest, second);
        return true;
    }

    /** Clears later seconds: they will be reported again. */
    void clearAfter(long second) {
        if (newest <= second) {
            return;
        }
        newest = Long.MIN_VALUE;
        for (int slot = 0; slot < seconds.length; slot++) {
            if (seconds[slot] > second) {
                seconds[slot] = Long.MIN_VALUE;
                writers[slot] = null;
            } else {
                newest = Math.max(newest, seconds[slot]);
            }
        }
        // A source without a written second has no seconds that could be compared with another
        // source's.
        sources.values()
                .forEach(reports -> reports.recent.tailMap(second, false).clear());
        sources.values().removeIf(reports -> reports.recent.isEmpty());
        if (elected != null && elected.recent.isEmpty()) {
            elected = null;
        }
    }

    private static boolean isFullSecond(ServiceWindow window) {
        return window.lengthMicros() >= SECOND_MICROS;
    }

    private static boolean isSilent(SourceReports reports, long nowMillis) {
        return nowMillis - reports.lastReportMillis > PATIENCE_SECONDS * 1_000L;
    }

    private boolean shouldTakeOver(SourceReports from, SourceReports to, long nowMillis) {
        if (isSilent(from, nowMillis)) {
            return true;
        }
        long last = to.recent.lastKey();
        if (last - from.recent.lastKey() > BEHIND_SECONDS) {
            return true;
        }
        int lossy = 0;
        for (long second = last - 2; second <= last; second++) {
            if (!to.isClean(second)) {
                return false;
            }
            lossy += from.isLossy(second) ? 1 : 0;
        }
        return lossy >= 2 || (to.beside && !from.beside);
    }

    private void takeOver(
            SourceReports from, SourceReports to, boolean silent, List<SecondUpdate> updates) {
        Long ended = from.recent.lastKey();
        to.recent.forEach((second, window) -> {
            boolean doubtful = from.source.equals(writerOf(second))
                    && (from.isLossy(second) || (silent && second.equals(ended)));
            boolean first = second.equals(to.recent.firstKey());
            // A second without a report yet waits for a source that observed it completely.
            if (isWritten(second) ? doubtful && !first : isFullSecond(window)) {
                write(to, second, window, updates);
            }
        });
    }

    /** Fills seconds that the elected source left out. */
    private void fillGaps(SourceReports reports, boolean completeOnly, List<SecondUpdate> updates) {
        reports.recent.forEach((second, window) -> {
            if (second <= newest - PATIENCE_SECONDS
                    && !isWritten(second)
                    && (!completeOnly || reports.isComplete(second))) {
                write(reports, second, window, updates);
            }
        });
    }

    private void write(
            SourceReports reports, long second, ServiceWindow window, List<SecondUpdate> updates) {
        if (newest != Long.MIN_VALUE && second <= newest - seconds.length) {
            return;
        }
        int slot = (int) Math.floorMod(second, (long) seconds.length);
        seconds[slot] = second;
        writers[slot] = reports.source;
        newest = Math.max(newest, second);
        updates.removeIf(update -> update.second() == second);
        updates.add(new SecondUpdate(second, window));
    }

    private boolean isWritten(long second) {
        return seconds[(int) Math.floorMod(second, (long) seconds.length)] == second;
    }

    private @Nullable String writerOf(long second) {
        return isWritten(second)
                ? writers[(int) Math.floorMod(second, (long) seconds.length)]
                : null;
    }

    private void removeSilent(long nowMillis) {
        if (sources.size() > 1) {
            sources.values()
                    .removeIf(reports -> reports != elected
                            && nowMillis - reports.lastReportMillis > REMEMBERED_SECONDS * 1_000L);
        }
        while (sources.size() > MAX_SOURCES) {
            sources.values().stream()
                    .filter(reports -> reports != elected)
                    .min((a, b) -> Long.compare(a.lastReportMillis, b.lastReportMillis))
                    .ifPresent(oldest -> sources.remove(oldest.source));
        }
    }
}
