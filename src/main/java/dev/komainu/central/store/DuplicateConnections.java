package dev.komainu.central.store;

import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The rule for a connection that two sources report: one of the two records counts, and the other
 * is left out of every result, on whatever page it lies. Pure.
 *
 * <p>Two records are duplicates when different sources report the same two addresses and ports and
 *
 * <ul>
 *   <li>both observed its beginning: they begin within {@value #SAME_START_MICROS} µs, and, when
 *       both observed its end, too, they end within {@value #SAME_END_MICROS} µs;
 *   <li>one did not: their times overlap.
 * </ul>
 *
 * <p>Clocks of two probes may differ by as much. A client that uses the same port for the same
 * server again within a second, while one probe loses the whole of one of the two connections, is
 * not covered by this rule: one of them is left out.
 */
final class DuplicateConnections {

    static final long SAME_START_MICROS = 1_000_000;
    static final long SAME_END_MICROS = 2_000_000;

    /** States of connections that the source did not observe from beginning to end. */
    private static final Set<ConnectionState> PARTIAL = EnumSet.of(
            ConnectionState.OPEN,
            ConnectionState.HALF_OPEN,
            ConnectionState.HALF_CLOSED,
            ConnectionState.MIDSTREAM);

    private DuplicateConnections() {}

    static boolean isPartial(ConnectionRecord record) {
        return PARTIAL.contains(record.state());
    }

    /** Reports whether {@code other} describes the same connection and is preferred. */
    static boolean isOutdone(
            StoredRecord<ConnectionRecord> one,
            StoredRecord<ConnectionRecord> other,
            @Nullable String serviceId) {
        return areTwins(one, other) && rank(serviceId).compare(other, one) < 0;
    }

    private static boolean areTwins(
            StoredRecord<ConnectionRecord> one, StoredRecord<ConnectionRecord> other) {
        ConnectionRecord a = one.record();
        ConnectionRecord b = other.record();
        if (one.source().equals(other.source())
                || !a.client().equals(b.client())
                || !a.server().equals(b.server())) {
            return false;
        }
        boolean startsKnown =
                a.state() != ConnectionState.MIDSTREAM && b.state() != ConnectionState.MIDSTREAM;
        if (startsKnown
                && Math.abs(a.times().startMicros() - b.times().startMicros())
                        > SAME_START_MICROS) {
            return false;
        }
        return (isPartial(a) || isPartial(b))
                ? a.times().startMicros() <= b.times().endMicros() + SAME_START_MICROS
                        && b.times().startMicros() <= a.times().endMicros() + SAME_START_MICROS
                : Math.abs(a.times().endMicros() - b.times().endMicros()) <= SAME_END_MICROS;
    }

    /**
     * Returns the order of preference: complete before partial, more packets before fewer, beside
     * the server before elsewhere, then by name, so that the order is stable.
     */
    private static Comparator<StoredRecord<ConnectionRecord>> rank(@Nullable String serviceId) {
        return Comparator.<StoredRecord<ConnectionRecord>, Boolean>comparing(
                        stored -> isPartial(stored.record()))
                .thenComparingLong(stored -> -stored.record().up().uniqueBytes()
                        - stored.record().down().uniqueBytes())
                .thenComparing(stored ->
                        serviceId == null || !serviceId.equals(stored.record().service()))
                .thenComparing(StoredRecord::source);
    }
}
