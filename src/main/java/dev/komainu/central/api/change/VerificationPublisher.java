package dev.komainu.central.api.change;

import dev.komainu.central.api.stream.EventHub;
import dev.komainu.central.indices.IndexCatalogue;
import dev.komainu.central.verify.Verifier;
import java.time.Clock;
import org.springframework.stereotype.Component;

/** Tells the stream how runs stand: when one begins, each second while it runs, and its verdict. */
@Component
class VerificationPublisher {

    private static final String TOPIC = "verifications";

    VerificationPublisher(Verifier verifier, EventHub hub, IndexCatalogue catalogue, Clock clock) {
        verifier.listen(run -> {
            if (hub.wanted(TOPIC)) {
                hub.publish(
                        TOPIC,
                        "verification",
                        VerificationView.of(run, null, catalogue, clock.instant()));
            }
        });
    }
}
