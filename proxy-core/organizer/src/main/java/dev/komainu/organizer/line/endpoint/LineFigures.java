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
 * What a line did so far. {@code opened = ends of all kinds + open + waiting}.
 *
 * @param carrier what new streams go over, once it is there
 * @param carrierWhy for people
 * @param connections those there are now
 * @param waiting requests without a connection
 * @param opened requests
 * @param repeated how often one was sent again
 * @param ends of requests, as their owners were told
 * @param connectionsMade since it began
 * @param connectionsLost of these, otherwise than by {@link Line#close}
 * @param lingerTimeouts connections closed because the peer's end did not follow their last frame
 *     in time
 * @param dialsFailed attempts to connect that came to nothing
 * @param lastFailure for people; empty: none
 * @param downSinceMillis since the epoch, since when there is no connection; 0: there is one
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
     * What several lines to one peer did, one for each loop, as if they were one. @param parts one
     * at least
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
        // Each chooses for itself, of the same path: one that has left TCP tells more than those
        // that carry little.
        LineFigures telling = parts.stream()
                .filter(part -> part.carrier == LineCarrier.QUIC)
                .findFirst()
                .orElse(parts.getFirst());
        return new LineFigures(
                parts.getFirst().to,
                telling.carrier,
                telling.carrierWhy,
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
                // One that is up carries what the others cannot.
                parts.stream().anyMatch(part -> part.downSinceMillis == 0)
                        ? 0
                        : parts.stream()
                                .mapToLong(LineFigures::downSinceMillis)
                                .max()
                                .orElse(0));
    }

    /**
     * What its connections run over; where they differ, or there are none, what new streams are to
     * go over.
     */
    public LineCarrier over() {
        Set<LineCarrier> all =
                connections.stream().map(ConnectionFigures::over).collect(Collectors.toSet());
        return all.size() == 1 ? all.iterator().next() : carrier;
    }

    /** Open now. */
    public int streams() {
        return connections.stream().mapToInt(ConnectionFigures::streams).sum();
    }

    /** There and back; mean of the connections that know. 0: none does. */
    public long rttMicros() {
        return Math.round(connections.stream()
                .mapToLong(ConnectionFigures::wayMicros)
                .filter(micros -> micros > 0)
                .average()
                .orElse(0));
    }

    /** Of bodies, over the connections there are now. */
    public long sentBytes() {
        return connections.stream().mapToLong(ConnectionFigures::sentBytes).sum();
    }

    /** Of HTTP/2, over the connections there are now. */
    public long receivedBytes() {
        return connections.stream().mapToLong(ConnectionFigures::receivedBytes).sum();
    }

    /** What the kernel sent, with what it sent again; 0 where it does not tell. */
    public long segmentBytes() {
        return connections.stream().mapToLong(one -> one.tcp().sentBytes()).sum();
    }

    /** Of {@link #segmentBytes}, sent again. */
    public long againBytes() {
        return connections.stream()
                .mapToLong(one -> one.tcp().retransmittedBytes())
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
