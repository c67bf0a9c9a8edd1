package dev.komainu.organizer.line;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What a line did so far. {@code opened = ends of all kinds + open + waiting}.
 *
 * @param connections those there are now
 * @param waiting requests without a connection
 * @param opened requests
 * @param repeated how often one was sent again
 * @param ends of requests, as their owners were told
 * @param connectionsMade since it began
 * @param connectionsLost of these, otherwise than by {@link Line#close}
 * @param dialsFailed attempts to connect that came to nothing
 * @param lastFailure for people; empty: none
 */
public record LineFigures(
        LineAddress to,
        List<ConnectionFigures> connections,
        int waiting,
        long opened,
        long repeated,
        Map<StreamEnd.Reason, Long> ends,
        long connectionsMade,
        long connectionsLost,
        long dialsFailed,
        String lastFailure) {

    static Map<StreamEnd.Reason, Long> byReason(long[] counts) {
        Map<StreamEnd.Reason, Long> ends = new EnumMap<>(StreamEnd.Reason.class);
        for (StreamEnd.Reason reason : StreamEnd.Reason.values()) {
            ends.put(reason, counts[reason.ordinal()]);
        }
        return ends;
    }
}
