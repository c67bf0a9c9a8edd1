package dev.komainu.central.alert;

import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.LocalizedText;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A fault that one rule found on one subject or incident, from its firing to its end. Immutable:
 * each step returns a new instance.
 *
 * @param id 16 hexadecimal digits, generated when the alert fires
 * @param rule id of the rule
 * @param ruleName the rule's name when it fired
 * @param subject id of a service (of an incident: its root when the alert fired), name of a source,
 *     or {@code store}
 * @param state newest state label for which the condition held
 * @param since begin of the first state
 * @param firedAt time at which the rule's condition had held often enough
 * @param text newest description of the fault
 * @param endedAt absent while it fires
 * @param endReason {@code recovered}, {@code gone} (no longer watched), {@code rule} (changed or
 *     removed) or {@code merged} (another incident continues it)
 * @param toldAt time of the last notice; absent before the first. Its name is part of the stored
 *     JSON
 * @param toldState state of the last notice
 * @param toldSeverity severity of the last notice
 * @param notices number of notices sent
 * @param silencedBy id of the silence or maintenance that suppresses notices now
 * @param incident id of the incident that it reports; absent for other kinds, and for alerts of
 *     releases that knew no incidents
 */
public record Alert(
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
        @Nullable String toldState,
        @Nullable Severity toldSeverity,
        int notices,
        @Nullable String silencedBy,
        @Nullable String incident) {

    public static final String RECOVERED = "recovered";
    public static final String GONE = "gone";
    public static final String RULE = "rule";
    public static final String MERGED = "merged";

    private static final SecureRandom RANDOM = new SecureRandom();

    public Alert {
        evidence = List.copyOf(evidence);
    }

    static Alert fired(String ruleId, AlertRule rule, Concern concern, Instant now) {
        Observation observation = concern.observation();
        return new Alert(
                HexFormat.of().toHexDigits(RANDOM.nextLong()),
                ruleId,
                rule.name(),
                observation.kind(),
                observation.subject(),
                rule.severityOf(observation),
                observation.state(),
                observation.since(),
                now,
                observation.text(),
                observation.evidence(),
                null,
                null,
                null,
                null,
                null,
                0,
                null,
                concern.incident());
    }

    /** Returns the alert of an event, which ends as it fires. */
    static Alert event(
            AlertKind kind, String ruleName, String subject, LocalizedText text, Instant at) {
        return new Alert(
                HexFormat.of().toHexDigits(RANDOM.nextLong()),
                kind.text(),
                ruleName,
                kind,
                subject,
                kind.usual(),
                kind.text(),
                at,
                at,
                text,
                List.of(),
                at,
                null,
                at,
                kind.text(),
                kind.usual(),
                1,
                null,
                null);
    }

    public boolean open() {
        return endedAt == null;
    }

    /**
     * Returns 16 hexadecimal digits that are always the same for the same rule and subject.
     * Receivers use them to recognise a returning alert.
     */
    public String fingerprint() {
        UUID hash =
                UUID.nameUUIDFromBytes((rule + "\n" + subject).getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits(hash.getMostSignificantBits());
    }

    Alert observed(AlertRule by, Observation now) {
        return new Alert(
                id,
                rule,
                ruleName,
                kind,
                subject,
                by.severityOf(now),
                now.state(),
                since,
                firedAt,
                now.text(),
                now.evidence(),
                endedAt,
                endReason,
                toldAt,
                toldState,
                toldSeverity,
                notices,
                silencedBy,
                incident);
    }

    Alert silenced(@Nullable String by) {
        return new Alert(
                id,
                rule,
                ruleName,
                kind,
                subject,
                severity,
                state,
                since,
                firedAt,
                text,
                evidence,
                endedAt,
                endReason,
                toldAt,
                toldState,
                toldSeverity,
                notices,
                by,
                incident);
    }

    Alert notified(Instant now) {
        return new Alert(
                id,
                rule,
                ruleName,
                kind,
                subject,
                severity,
                state,
                since,
                firedAt,
                text,
                evidence,
                endedAt,
                endReason,
                now,
                state,
                severity,
                notices + 1,
                silencedBy,
                incident);
    }

    Alert ended(Instant now, String reason) {
        return new Alert(
                id,
                rule,
                ruleName,
                kind,
                subject,
                severity,
                state,
                since,
                firedAt,
                text,
                evidence,
                now,
                reason,
                toldAt,
                toldState,
                toldSeverity,
                notices,
                null,
                incident);
    }
}
