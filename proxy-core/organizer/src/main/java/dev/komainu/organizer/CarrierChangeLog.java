package dev.komainu.organizer;

import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.endpoint.LineFigures;
import dev.komainu.organizer.member.EventLog;
import dev.komainu.organizer.route.MemberId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The log of carrier changes: it records an event when a line changes its carrier. Single-threaded.
 */
final class CarrierChangeLog {

    private final EventLog events;
    private final Map<String, LineCarrier> carriers = new HashMap<>();

    CarrierChangeLog(EventLog events) {
        this.events = events;
    }

    /**
     * Compares the lines with those of the last call.
     *
     * @param lines current figures, one for each peer and event loop
     */
    void update(List<LineFigures> lines) {
        Map<String, List<LineFigures>> byPeer = new HashMap<>();
        lines.forEach(line -> byPeer.computeIfAbsent(line.to().member(), peer -> new ArrayList<>())
                .add(line));
        carriers.keySet().retainAll(byPeer.keySet());
        byPeer.forEach((peer, parts) -> {
            LineFigures combined = LineFigures.together(parts);
            LineCarrier previous = carriers.put(peer, combined.carrier());
            if (previous != null && previous != combined.carrier()) {
                events.add(
                        EventLog.Kind.LINE_CHANGED,
                        new MemberId(peer),
                        "The line to " + peer + " now runs over "
                                + combined.carrier().text().toUpperCase(Locale.ROOT) + ": "
                                + combined.carrierWhy());
            }
        });
    }
}
