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

/** Tells when lines come to run over something else. On one thread. */
final class CarrierChangeLog {

    private final EventLog events;
    private final Map<String, LineCarrier> before = new HashMap<>();

    CarrierChangeLog(EventLog events) {
        this.events = events;
    }

    /** @param lines as they are now, one for each peer and event loop */
    void look(List<LineFigures> lines) {
        Map<String, List<LineFigures>> byPeer = new HashMap<>();
        lines.forEach(line -> byPeer.computeIfAbsent(line.to().member(), peer -> new ArrayList<>())
                .add(line));
        before.keySet().retainAll(byPeer.keySet());
        byPeer.forEach((peer, parts) -> {
            LineFigures whole = LineFigures.together(parts);
            LineCarrier was = before.put(peer, whole.carrier());
            if (was != null && was != whole.carrier()) {
                events.add(
                        EventLog.Kind.LINE_CHANGED,
                        new MemberId(peer),
                        "The line to " + peer + " runs over "
                                + whole.carrier().text().toUpperCase(Locale.ROOT) + " now: "
                                + whole.carrierWhy());
            }
        });
    }
}
