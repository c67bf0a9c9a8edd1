package dev.komainu.bench.fleet;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/**
 * The acknowledgements of an agent's seconds: how long after the agent handed a second over the
 * central service had stored it, and how many seconds were late. Any thread.
 */
final class AcknowledgementTimes {

    /** Time after the end of a second after which its acknowledgement is late. */
    private static final long LATE_MICROS = 2_000_000;

    private static final long LONGEST_MICROS = 600_000_000;

    private final Deque<HandedOver> waiting = new ArrayDeque<>();
    private final Histogram micros = new Histogram(1, LONGEST_MICROS, 3);
    private long late;

    /**
     * A second that waits for its acknowledgement.
     *
     * @param accepted records that the agent had handed over in all, with this second
     */
    private record HandedOver(long accepted, long endMicros, long atMicros) {}

    synchronized void handedOver(long accepted, long endMicros, long atMicros) {
        waiting.add(new HandedOver(accepted, endMicros, atMicros));
    }

    /** Notes that the central service has stored so many of the agent's records in all. */
    synchronized void sent(long records, long nowMicros) {
        while (!waiting.isEmpty() && waiting.getFirst().accepted() <= records) {
            HandedOver second = waiting.removeFirst();
            micros.recordValue(Math.clamp(nowMicros - second.atMicros(), 0, LONGEST_MICROS));
            late += nowMicros - second.endMicros() > LATE_MICROS ? 1 : 0;
        }
    }

    /** Adds all figures to {@code sum} and begins again; seconds that wait go on waiting. */
    synchronized void moveTo(AcknowledgementTimes sum) {
        sum.micros.add(micros);
        sum.late += late;
        micros.reset();
        late = 0;
    }

    /** Returns the figures as JSON. */
    synchronized String json(long waitingRecords) {
        return String.format(
                Locale.ROOT,
                "{\"seconds\":%d,\"late\":%d,\"p50\":%.1f,\"p99\":%.1f,\"max\":%.1f,\"waiting\":%d}",
                micros.getTotalCount(),
                late,
                micros.getValueAtPercentile(50) / 1e3,
                micros.getValueAtPercentile(99) / 1e3,
                micros.getMaxValue() / 1e3,
                waitingRecords);
    }
}
