package dev.komainu.central.union;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Rule that tells how long the seconds of one service wait for which of its sources. A second waits
 * for each source that is awaited and has not passed it:
 *
 * <pre>
 * the second arrived                      waits for
 * soon after its end                      LIVE_MILLIS
 * later: the sources report a backlog     BACKLOG_MILLIS
 * and no source has reported since        SILENT_MILLIS
 * </pre>
 *
 * <p>A source for which a second waited in vain is given up: no later second waits for it, so one
 * that was killed delays the figures once. It is awaited again when it reports a second that is not
 * settled.
 *
 * <p>Only time in which sources report counts as waited, and at most {@value #LONGEST_STEP_MILLIS}
 * ms from one report to the next. When the central service itself stood still, or no source could
 * reach it, the first source whose reports are read again must not be added up alone. The live wait
 * is shorter than the time after which a service without new seconds counts as unobserved. Guarded
 * by its owner's lock.
 */
final class WaitingRule {

    static final long LIVE_MILLIS = 7_000;
    static final long BACKLOG_MILLIS = 30_000;
    static final long SILENT_MILLIS = 30_000;

    /** Age of a second at its arrival from which it is a second of a backlog. */
    private static final long BACKLOG_AGE_MILLIS = 8_000;

    private static final long LONGEST_STEP_MILLIS = 2_000;

    private final Set<String> givenUp = new HashSet<>();
    private long watched;
    private long lastReportMillis = Long.MIN_VALUE;

    /**
     * An instant of arrival.
     *
     * @param watchedMillis time in which sources reported until then
     */
    record Arrival(long millis, long watchedMillis) {}

    /** Notes a report of any source. Returns its arrival. */
    Arrival reported(long nowMillis) {
        if (lastReportMillis != Long.MIN_VALUE) {
            watched += Math.clamp(nowMillis - lastReportMillis, 0, LONGEST_STEP_MILLIS);
        }
        lastReportMillis = nowMillis;
        return new Arrival(nowMillis, watched);
    }

    /** Waits for a source again: it reported a second in time. */
    void await(String source) {
        givenUp.remove(source);
    }

    /** Removes a source that is forgotten. */
    void forget(String source) {
        givenUp.remove(source);
    }

    boolean isGivenUp(String source) {
        return givenUp.contains(source);
    }

    /**
     * Reports whether a second waits no longer. Gives up the sources for which it waited in vain.
     *
     * @param arrival of its first report
     */
    boolean isDue(
            long second, Arrival arrival, Collection<ReportingSource> sources, long nowMillis) {
        List<String> behind = sources.stream()
                .filter(source -> !source.hasPassed(second))
                .map(source -> source.name)
                .filter(name -> !givenUp.contains(name))
                .toList();
        if (behind.isEmpty()) {
            return true;
        }
        boolean isBacklog = arrival.millis() - (second + 1) * 1_000 > BACKLOG_AGE_MILLIS;
        if (watched - arrival.watchedMillis() >= (isBacklog ? BACKLOG_MILLIS : LIVE_MILLIS)) {
            givenUp.addAll(behind);
            return true;
        }
        return nowMillis - Math.max(lastReportMillis, arrival.millis()) >= SILENT_MILLIS;
    }
}
