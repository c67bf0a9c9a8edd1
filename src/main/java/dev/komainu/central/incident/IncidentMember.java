package dev.komainu.central.incident;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.incident.ServiceLink.Basis;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.state.ServiceState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A service that an incident affects.
 *
 * @param service its canonical id
 * @param state its newest bad state
 * @param since entry into the first bad state of this incident
 * @param until when it left its last bad state; absent while it is in one
 * @param cause newest cause of its state
 * @param basis how its dependency on the root is known; absent for the root
 * @param worstResponseP95Millis highest p95 of its response times since the incident began; absent
 *     when none was measured
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record IncidentMember(
        String service,
        ServiceState state,
        Instant since,
        @Nullable Instant until,
        LocalizedText cause,
        @Nullable Basis basis,
        @Nullable Double worstResponseP95Millis) {

    /** Reports whether the service is in a bad state. */
    boolean isActive() {
        return until == null;
    }

    IncidentMember left(Instant now) {
        return new IncidentMember(service, state, since, now, cause, basis, worstResponseP95Millis);
    }
}
