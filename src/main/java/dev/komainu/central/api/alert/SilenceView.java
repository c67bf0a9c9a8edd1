package dev.komainu.central.api.alert;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.alert.Silence;
import dev.komainu.central.alert.Versioned;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code Silence} of the contract. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record SilenceView(
        String id,
        String kind,
        @Nullable String service,
        List<String> states,
        String reason,
        String by,
        Instant startsAt,
        Instant endsAt,
        boolean running,
        @Nullable String label) {

    static SilenceView of(Versioned<Silence> versioned, Instant now) {
        Silence silence = versioned.body();
        return new SilenceView(
                versioned.id(),
                silence.maintenance() ? "maintenance" : "silence",
                silence.service(),
                silence.states(),
                silence.reason(),
                silence.by(),
                silence.startsAt(),
                silence.endsAt(),
                silence.runs(now),
                silence.label());
    }
}
