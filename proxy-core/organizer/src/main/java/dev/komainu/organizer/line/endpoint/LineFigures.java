package dev.komainu.organizer.line.endpoint;

import dev.komainu.organizer.line.ConnectionFigures;
import dev.komainu.organizer.line.LineAddress;
import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.StreamEnd;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Figures of a line since it was made. {@code opened = ends of all kinds + open + waiting}.
 *
 * @param to address of the peer
 * @param carrier carrier of new streams, once it is up
 * @param carrierWhy reason of the carrier, for operators
 * @param connections the current connections
 * @param waiting requests without a connection
 * @param opened requests
 * @param repeated number of repetitions of requests
 * @param ends ends of requests, as their owners received them
 * @param connectionsMade connections since the start
 * @param connectionsLost part of these that ended otherwise than by {@link Line#close}
 * @param lingerTimeouts connections closed because the peer's end did not follow their last frame
 *     in time
 * @param dialsFailed failed attempts to connect
 * @param lastFailure for operators; empty: none
 * @param downSinceMillis epoch time since which there is no connection; 0: there is one
 */
public record LineFigures(
        LineAddress to,
        LineCarrier carrier,
        String carrierWhy,
        List<ConnectionFigures> connections,
        int waiting,
        long opened,
        long repeated,
        Map<StreamEnd.Reason, Long> ends,
        long connectionsMade,
        long connectionsLost,
        long lingerTimeouts,
        long dialsFailed,
        String lastFailure,
        long downSinceMillis) {

    /**
     * Merges the figures of several lines to one peer, one for each loop.
     *
     * @param parts at least one
     */
    public static LineFigures together(List<LineFigures> parts) {
        List<ConnectionFigures> connections = new ArrayList<>();
        Map<StreamEnd.Reason, Long> ends = new EnumMap<>(StreamEnd.Reason.class);
        String failure = "";
        for (LineFigures part : parts) {
            connections.addAll(part.connections);
            part.ends.forEach((reason, count) -> ends.merge(reason, count, Long::sum));
            failure = part.lastFailure.isEmpty() ? failure : part.lastFailure;
        }
        // Each line chooses for itself, about the same path. One that has left TCP knows more than
        // those with little traffic.
        LineFigures leading = parts.stream()
                .filter(part -> part.carrier == LineCarrier.QUIC)
                .findFirst()
                .orElse(parts.getFirst());
        return new LineFigures(
                parts.getFirst().to,
                leading.carrier,
                leading.carrierWhy,
                List.copyOf(connections),
                parts.stream().mapToInt(LineFigures::waiting).sum(),
                parts.stream().mapToLong(LineFigures::opened).sum(),
                parts.stream().mapToLong(LineFigures::repeated).sum(),
                ends,
                parts.stream().mapToLong(LineFigures::connectionsMade).sum(),
                parts.stream().mapToLong(LineFigures::connectionsLost).sum(),
                parts.stream().mapToLong(LineFigures::lingerTimeouts).sum(),
                parts.stream().mapToLong(LineFigures::dialsFailed).sum(),
                failure,
                // A line that is up carries what the others cannot.
                parts.stream().anyMatch(part -> part.downSinceMillis == 0)
                        ? 0
                        : parts.stream()
                                .mapToLong(LineFigures::downSinceMillis)
                                .max()
                                .orElse(0));
    }

    /**
     * Returns the carrier of the connections; where they differ, or there are none, the carrier of
     * new streams.
     */
    public LineCarrier over() {
        Set<LineCarrier> all =
                connections.stream().map(ConnectionFigures::over).collect(Collectors.toSet());
        return all.size() == 1 ? all.iterator().next() : carrier;
    }

    /** Returns the number of open streams. */
    public int streams() {
        return connections.stream().mapToInt(ConnectionFigures::streams).sum();
    }

    /**
     * Returns the mean round trip of the connections that have measured it, in microseconds; 0:
     * none has.
     */
    public long rttMicros() {
        return Math.round(connections.stream()
                .mapToLong(ConnectionFigures::roundTripMicros)
                .filter(micros -> micros > 0)
                .average()
                .orElse(0));
    }

    /** Returns the sent bytes of bodies, over the current connections. */
    public long sentBytes() {
        return connections.stream().mapToLong(ConnectionFigures::sentBytes).sum();
    }

    /** Returns the received bytes of HTTP/2, over the current connections. */
    public long receivedBytes() {
        return connections.stream().mapToLong(ConnectionFigures::receivedBytes).sum();
    }

    /**
     * Returns the bytes that the kernel sent, with retransmissions; 0 where it does not report
     * them.
     */
    public long segmentBytes() {
        return connections.stream()
                .mapToLong(connection -> connection.tcp().sentBytes())
                .sum();
    }

    /** Returns the part of {@link #segmentBytes} that was retransmitted. */
    public long againBytes() {
        return connections.stream()
                .mapToLong(connection -> connection.tcp().retransmittedBytes())
                .sum();
    }

    static Map<StreamEnd.Reason, Long> byReason(long[] counts) {
        Map<StreamEnd.Reason, Long> ends = new EnumMap<>(StreamEnd.Reason.class);
        for (StreamEnd.Reason reason : StreamEnd.Reason.values()) {
            ends.put(reason, counts[reason.ordinal()]);
        }
        return ends;
    }
}
