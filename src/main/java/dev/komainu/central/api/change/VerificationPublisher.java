package dev.komainu.central.api.change;

import dev.komainu.central.api.stream.EventHub;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.verify.Verifier;
import java.time.Clock;
import org.springframework.stereotype.Component;

/**
 * The publisher of verification runs to the event stream: at the start, each second while a run is
 * open, and with the verdict.
 */
@Component
class VerificationPublisher {

    private static final String TOPIC = "verifications";

    VerificationPublisher(Verifier verifier, EventHub hub, IndexCatalogue catalogue, Clock clock) {
        verifier.addListener(run -> {
            if (hub.isRequested(TOPIC)) {
                hub.publish(
                        TOPIC,
                        "verification",
                        VerificationView.of(run, null, catalogue, clock.instant()));
            }
        });
    }
}
