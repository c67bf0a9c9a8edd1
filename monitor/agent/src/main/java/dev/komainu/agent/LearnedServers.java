package dev.komainu.agent;

import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.RecordSink;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Servers at a mirror port that nobody named: learnt from traffic, because they answer.
 *
 * <pre>
 *  asked (first packet)  →  answered (SYN/ACK, or data from it)  →  silent for a day: gone
 *        └ nothing but RST, or nothing at all, for a minute: forgotten, its records left out
 * </pre>
 *
 * <p>So that the first connection is whole, a server that was only asked is followed like any
 * other, and what it would tell is held back until it answers. A scan of a whole net then costs a
 * bounded memory and makes no server. Limits:
 *
 * <pre>
 *  known at once      1,000    a new one takes the place of the longest silent, if that is silent for ten minutes
 *  asked at once      1,000    further ones are not followed until a minute is over
 *  names ever         20,000   then no new names until a restart
 * </pre>
 *
 * What the limits leave out is counted (see {@link #drops}). Any thread.
 */
final class LearnedServers {

    static final int MOST_KNOWN = 1_000;
    static final int MOST_ASKED = 1_000;
    static final int MOST_EVER = 20_000;
    static final long ASKED_MICROS = 60_000_000L;
    static final long GIVES_WAY_MICROS = 600_000_000L;
    static final long GONE_MICROS = 86_400_000_000L;
    private static final int MOST_HELD = 64;

    /** What is told when a server became known or was forgotten. Called under the lock of this. */
    interface Listener {
        void learnt(Endpoint server);

        void forgotten(Endpoint server);
    }

    private final LongSupplier micros;
    private final Listener listener;

    // Guarded by this.
    private final Map<Endpoint, Long> known = new HashMap<>();
    private final Map<String, Asked> asked = new LinkedHashMap<>();
    private final Set<String> ever = new HashSet<>();
    private long leftOut;
    private long unanswered;

    private static final class Asked {
        final Endpoint server;
        final List<TelemetryRecord> held = new ArrayList<>();
        long lastMicros;

        Asked(Endpoint server, long lastMicros) {
            this.server = server;
            this.lastMicros = lastMicros;
        }
    }

    LearnedServers(LongSupplier micros, Listener listener) {
        this.micros = micros;
        this.listener = listener;
    }

    /**
     * The name under which packets of this server are followed; null when the limits leave it out.
     */
    synchronized @Nullable String nameOf(Endpoint server) {
        String name = server.toString();
        if (known.containsKey(server) || asked.containsKey(name)) {
            return name;
        }
        if (asked.size() >= MOST_ASKED || ever.size() >= MOST_EVER && !ever.contains(name)) {
            leftOut++;
            return null;
        }
        ever.add(name);
        asked.put(name, new Asked(server, micros.getAsLong()));
        return name;
    }

    /** Lets records of known servers pass, and holds back those of servers that never answered. */
    RecordSink before(RecordSink sink) {
        return record -> {
            for (TelemetryRecord ready : take(record)) {
                sink.accept(ready);
            }
        };
    }

    private synchronized List<TelemetryRecord> take(TelemetryRecord record) {
        if (record instanceof ServiceWindow window) {
            boolean heard = window.up().packets() + window.down().packets() > 0
                    || window.concurrentMax() > 0;
            return take(window, window.service(), heard, hasAnswer(window));
        }
        if (record instanceof ConnectionRecord connection && connection.service() != null) {
            return take(connection, connection.service(), true, hasAnswer(connection));
        }
        return List.of(record);
    }

    private static boolean hasAnswer(ServiceWindow window) {
        return window.responses() > 0
                || window.down().payloadBytes() > 0
                || window.roundTrips().server().count() > 0;
    }

    private static boolean hasAnswer(ConnectionRecord connection) {
        return connection.handshake().synAckMicros() != null
                || connection.down().payloadBytes() > 0;
    }

    private List<TelemetryRecord> take(
            TelemetryRecord record, String service, boolean heard, boolean answered) {
        long now = micros.getAsLong();
        Asked waiting = asked.get(service);
        if (waiting == null) {
            if (heard) {
                known.computeIfPresent(endpointOf(service), (server, before) -> now);
            }
            return isOurs(service) ? List.of() : List.of(record);
        }
        if (heard) {
            waiting.lastMicros = now;
        }
        if (answered && hasRoom(now)) {
            asked.remove(service);
            known.put(waiting.server, now);
            listener.learnt(waiting.server);
            waiting.held.add(record);
            return waiting.held;
        }
        if (waiting.held.size() < MOST_HELD) {
            waiting.held.add(record);
        } else {
            unanswered++;
        }
        return List.of();
    }

    /** Whether this is one of ours that was forgotten while a last record of it was on its way. */
    private boolean isOurs(String service) {
        return ever.contains(service) && !known.containsKey(endpointOf(service));
    }

    private static Endpoint endpointOf(String service) {
        try {
            return Endpoint.parse(service);
        } catch (IllegalArgumentException e) {
            return NOWHERE;
        }
    }

    private static final Endpoint NOWHERE = Endpoint.parse("0.0.0.0:0");

    private boolean hasRoom(long now) {
        if (known.size() < MOST_KNOWN) {
            return true;
        }
        Map.Entry<Endpoint, Long> oldest = null;
        for (Map.Entry<Endpoint, Long> each : known.entrySet()) {
            if (oldest == null || each.getValue() < oldest.getValue()) {
                oldest = each;
            }
        }
        if (oldest == null || now - oldest.getValue() < GIVES_WAY_MICROS) {
            leftOut++;
            return false;
        }
        forget(oldest.getKey());
        return true;
    }

    private void forget(Endpoint server) {
        known.remove(server);
        listener.forgotten(server);
    }

    /** Forgets whom nobody heard for long. Now and then. */
    synchronized void tidy() {
        long now = micros.getAsLong();
        known.entrySet().stream()
                .filter(each -> now - each.getValue() >= GONE_MICROS)
                .map(Map.Entry::getKey)
                .toList()
                .forEach(this::forget);
        for (Iterator<Asked> each = asked.values().iterator(); each.hasNext(); ) {
            Asked waiting = each.next();
            if (now - waiting.lastMicros >= ASKED_MICROS) {
                unanswered += waiting.held.stream()
                        .filter(ConnectionRecord.class::isInstance)
                        .count();
                each.remove();
            }
        }
    }

    synchronized List<Endpoint> known() {
        return List.copyOf(known.keySet());
    }

    /** What was left out since the start, by reason. */
    synchronized List<SourceStatus.Drops> drops() {
        List<SourceStatus.Drops> drops = new ArrayList<>();
        if (leftOut > 0) {
            drops.add(new SourceStatus.Drops("server-not-learnt", leftOut));
        }
        if (unanswered > 0) {
            drops.add(new SourceStatus.Drops("asked-no-server", unanswered));
        }
        return drops;
    }
}
