package dev.komainu.central.api.incident;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.alert.notify.DeliveryTable;
import dev.komainu.central.change.Change;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.state.Transition;
import dev.komainu.central.verify.Comparison;
import dev.komainu.central.verify.Verification;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * {@code IncidentEvent} of the contract: one line of the course of an incident.
 *
 * @param kind {@code transition}, {@code notice}, {@code change} or {@code verification}
 * @param service absent for a notice
 * @param by who made a change, or the receiver of a notice; absent otherwise
 * @param from state before a transition
 * @param to state after a transition
 * @param id of the change or verification; absent otherwise
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
record IncidentEvent(
        Instant at,
        String kind,
        @Nullable String service,
        @Nullable String by,
        LocalizedText text,
        @Nullable ServiceState from,
        @Nullable ServiceState to,
        @Nullable String id) {

    /** The reasons of notices, and what became of them. */
    private static final Map<String, String> JAPANESE = Map.of(
            "firing", "発生",
            "updated", "変化",
            "repeated", "継続中",
            "resolved", "解消",
            "waiting", "送信待ち",
            "delivered", "送信済み",
            "failed", "送信失敗",
            "dropped", "破棄");

    static IncidentEvent of(Transition transition) {
        return new IncidentEvent(
                Instant.ofEpochSecond(transition.atSecond()),
                "transition",
                transition.service(),
                null,
                transition.cause(),
                transition.from(),
                transition.to(),
                null);
    }

    static IncidentEvent of(Change change) {
        String title = change.wish().title();
        return new IncidentEvent(
                change.begun() == null ? change.at() : change.begun(),
                "change",
                change.wish().service(),
                change.by(),
                LocalizedText.of(title, title),
                null,
                null,
                Long.toString(change.id()));
    }

    /** Returns the event of a finished run. */
    static IncidentEvent of(Verification run) {
        Comparison result = Objects.requireNonNull(run.result());
        String text = result.verdict().label();
        return new IncidentEvent(
                Objects.requireNonNull(run.finished()),
                "verification",
                run.service(),
                null,
                LocalizedText.of(text, text),
                null,
                null,
                Long.toString(run.id()));
    }

    static IncidentEvent of(DeliveryTable.Row delivery) {
        String en = delivery.tell() + ": " + delivery.status();
        String ja = JAPANESE.getOrDefault(delivery.tell(), delivery.tell()) + ":"
                + JAPANESE.getOrDefault(delivery.status(), delivery.status());
        return new IncidentEvent(
                delivery.createdAt(),
                "notice",
                null,
                delivery.receiverName(),
                LocalizedText.of(en, ja),
                null,
                null,
                null);
    }
}
