package dev.komainu.central.api.change;

import dev.komainu.central.api.stream.EventHub;
import dev.komainu.central.change.Changes;
import org.springframework.stereotype.Component;

/** The publisher of recorded changes to the event stream. */
@Component
class ChangePublisher {

    ChangePublisher(Changes changes, EventHub hub) {
        changes.addListener(change -> hub.publish("changes", "change", ChangeView.of(change)));
    }
}
