package dev.komainu.central.api.alert;

import dev.komainu.central.alert.AlertBoard;
import dev.komainu.central.alert.AlertKeeper;
import dev.komainu.central.alert.Silences;
import dev.komainu.central.api.stream.EventHub;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * The publisher of the firing alerts to the event stream, at each change. A later subscriber gets
 * the newest state at once. Any thread.
 */
@Component
class AlertPublisher {

    private static final String ALERTS = "alerts";

    private final AlertBoard board;
    private final Silences silences;
    private final EventHub hub;
    private final Clock clock;

    AlertPublisher(
            AlertBoard board, AlertKeeper keeper, Silences silences, EventHub hub, Clock clock) {
        this.board = board;
        this.silences = silences;
        this.hub = hub;
        this.clock = clock;
        keeper.addListener(this::changed);
    }

    /** {@code AlertsNow} of the contract. */
    record AlertsNow(Instant at, List<AlertView> firing, List<SilenceView> silences) {}

    void changed() {
        Instant now = clock.instant();
        hub.publishStanding(
                ALERTS,
                ALERTS,
                new AlertsNow(
                        now,
                        board.firing().stream().map(AlertView::of).toList(),
                        silences.running().stream()
                                .map(each -> SilenceView.of(each, now))
                                .toList()));
    }
}
