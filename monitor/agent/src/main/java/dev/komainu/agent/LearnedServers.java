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
 * Servers at a mirror port that no setting names: learned from traffic, because they respond.
 *
 * <pre>
 *  candidate (first packet)  →  known (SYN/ACK, or data from it)  →  silent for a day: gone
 *        └ only RST, or no packet, for a minute: dropped, its records left out
 * </pre>
 *
 * <p>So that the first connection is whole, a candidate is followed like any other server, and its
 * records are kept back until it responds. So a scan of a whole network costs bounded memory and
 * adds no server. Limits:
 *
 * <pre>
 *  known at once      1,000    a new one evicts the longest silent, if that is silent for ten minutes
 *  candidates      1,000    further ones are not followed until one is dropped
 *  names ever         20,000   then no new names until a restart
 * </pre>
 *
 * Data left out by the limits is counted (see {@link #drops}). Any thread.
 */
final class LearnedServers {

    static final int MAX_KNOWN = 1_000;
    static final int MAX_CANDIDATES = 1_000;
    static final int MAX_NAMES = 20_000;
    static final long CANDIDATE_MICROS = 60_000_000L;
    static final long EVICTABLE_MICROS = 600_000_000L;
    static final long GONE_MICROS = 86_400_000_000L;
    private static final int MAX_RECORDS = 64;

    /**
     * Listener of learned and forgotten servers. Called under the lock of {@link LearnedServers}.
     */
    interface Listener {
        void onLearned(Endpoint server);

        void onForgotten(Endpoint server);
    }

    private final LongSupplier micros;
    private final Listener listener;

    // Guarded by this.
    private final Map<Endpoint, Long> known = new HashMap<>();
    private final Map<String, Candidate> candidates = new LinkedHashMap<>();
    private final Set<String> names = new HashSet<>();
    private long leftOut;
    private long unanswered;

    private static final class Candidate {
        final Endpoint server;
        final List<TelemetryRecord> records = new ArrayList<>();
        long lastMicros;

        Candidate(Endpoint server, long lastMicros) {
            this.server = server;
            this.lastMicros = lastMicros;
        }
    }

    LearnedServers(LongSupplier micros, Listener listener) {
        this.micros = micros;
        this.listener = listener;
    }

    /**
     * Returns the name under which packets of this server are followed; null when the limits leave
     * it out.
     */
    synchronized @Nullable String nameOf(Endpoint server) {
        String name = server.toString();
        if (known.containsKey(server) || candidates.containsKey(name)) {
            return name;
        }
        if (candidates.size() >= MAX_CANDIDATES
                || (names.size() >= MAX_NAMES && !names.contains(name))) {
            leftOut++;
            return null;
        }
        names.add(name);
        candidates.put(name, new Candidate(server, micros.getAsLong()));
        return name;
    }

    /** Returns a sink that passes records of known servers, and keeps back those of candidates. */
    RecordSink before(RecordSink sink) {
        return record -> {
            for (TelemetryRecord ready : filter(record)) {
                sink.accept(ready);
            }
        };
    }

    private synchronized List<TelemetryRecord> filter(TelemetryRecord record) {
        if (record instanceof ServiceWindow window) {
            boolean active =
                    window.packets().up().packets() + window.packets().down().packets() > 0
                            || window.concurrency().concurrentMax() > 0;
            return filter(window, window.service(), active, hasResponse(window));
        }
        if (record instanceof ConnectionRecord connection && connection.service() != null) {
            return filter(connection, connection.service(), true, hasResponse(connection));
        }
        return List.of(record);
    }

    private static boolean hasResponse(ServiceWindow window) {
        return window.exchanges().responses() > 0
                || window.packets().down().payloadBytes() > 0
                || window.times().roundTrips().server().count() > 0;
    }

    private static boolean hasResponse(ConnectionRecord connection) {
        return connection.handshake().synAckMicros() != null
                || connection.down().payloadBytes() > 0;
    }

    private List<TelemetryRecord> filter(
            TelemetryRecord record, String service, boolean active, boolean answered) {
        long now = micros.getAsLong();
        Candidate candidate = candidates.get(service);
        if (candidate == null) {
            if (active) {
                known.computeIfPresent(endpointOf(service), (server, before) -> now);
            }
            return isForgotten(service) ? List.of() : List.of(record);
        }
        if (active) {
            candidate.lastMicros = now;
        }
        if (answered && hasRoom(now)) {
            candidates.remove(service);
            known.put(candidate.server, now);
            listener.onLearned(candidate.server);
            candidate.records.add(record);
            return candidate.records;
        }
        if (candidate.records.size() < MAX_RECORDS) {
            candidate.records.add(record);
        } else {
            unanswered++;
        }
        return List.of();
    }

    /**
     * Reports whether this is a learned server that was forgotten while a last record of it was on
     * its way.
     */
    private boolean isForgotten(String service) {
        return names.contains(service) && !known.containsKey(endpointOf(service));
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
        if (known.size() < MAX_KNOWN) {
            return true;
        }
        Map.Entry<Endpoint, Long> oldest = null;
        for (Map.Entry<Endpoint, Long> each : known.entrySet()) {
            if (oldest == null || each.getValue() < oldest.getValue()) {
                oldest = each;
            }
        }
        if (oldest == null || now - oldest.getValue() < EVICTABLE_MICROS) {
            leftOut++;
            return false;
        }
        forget(oldest.getKey());
        return true;
    }

    private void forget(Endpoint server) {
        known.remove(server);
        listener.onForgotten(server);
    }

    /** Forgets servers that were silent for long. Called now and then. */
    synchronized void expire() {
        long now = micros.getAsLong();
        known.entrySet().stream()
                .filter(each -> now - each.getValue() >= GONE_MICROS)
                .map(Map.Entry::getKey)
                .toList()
                .forEach(this::forget);
        for (Iterator<Candidate> each = candidates.values().iterator(); each.hasNext(); ) {
            Candidate candidate = each.next();
            if (now - candidate.lastMicros >= CANDIDATE_MICROS) {
                unanswered += candidate.records.stream()
                        .filter(ConnectionRecord.class::isInstance)
                        .count();
                each.remove();
            }
        }
    }

    synchronized List<Endpoint> known() {
        return List.copyOf(known.keySet());
    }

    /** Returns the counts of data left out since the start, by reason. */
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
