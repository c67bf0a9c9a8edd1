package dev.komainu.central.api.change;

import dev.komainu.central.api.stream.EventHub;
import dev.komainu.central.change.Changes;
import org.springframework.stereotype.Component;

/** Tells the stream of every recorded change. */
@Component
class ChangePublisher {

    ChangePublisher(Changes changes, EventHub hub) {
        changes.addListener(change -> hub.publish("changes", "change", ChangeView.of(change)));
    }
}
