package dev.komainu.central.api.alert;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.alert.Alert;
import dev.komainu.central.alert.AlertKind;
import dev.komainu.central.alert.Severity;
import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.LocalizedText;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code Alert} of the contract. */
@JsonInclude(JsonInclude.Include.ALWAYS)
record AlertView(
        String id,
        String rule,
        String ruleName,
        AlertKind kind,
        String subject,
        Severity severity,
        String state,
        Instant since,
        Instant firedAt,
        LocalizedText text,
        List<Evidence> evidence,
        @Nullable Instant endedAt,
        @Nullable String endReason,
        @Nullable Instant toldAt,
        int notices,
        @Nullable String silencedBy,
        String fingerprint,
        @Nullable String incident) {

    static AlertView of(Alert alert) {
        return new AlertView(
                alert.id(),
                alert.rule(),
                alert.ruleName(),
                alert.kind(),
                alert.subject(),
                alert.severity(),
                alert.state(),
                alert.since(),
                alert.firedAt(),
                alert.text(),
                alert.evidence(),
                alert.endedAt(),
                alert.endReason(),
                alert.toldAt(),
                alert.notices(),
                alert.silencedBy(),
                alert.fingerprint(),
                alert.incident());
    }
}
