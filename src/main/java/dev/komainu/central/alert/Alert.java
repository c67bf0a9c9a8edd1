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
 * One thing that is wrong, from its firing to its end: one rule about one subject. Immutable; each
 * step makes a new one.
 *
 * @param id 16 hexadecimal figures, made when it fires
 * @param rule id of the rule
 * @param ruleName the rule's name when it fired
 * @param subject id of a service, name of a source, or {@code store}
 * @param state newest label while it held
 * @param since when the first state began
 * @param firedAt when the rule had seen enough
 * @param text what is wrong, newest
 * @param endedAt absent while it fires
 * @param endReason {@code recovered}, {@code gone} (not watched any more) or {@code rule} (changed
 *     or removed)
 * @param toldAt last notice; absent when none went out yet
 * @param toldState state of the last notice
 * @param toldSeverity gravity of the last notice
 * @param notices how many went out
 * @param silencedBy silence or maintenance that holds notices back now
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
        @Nullable String silencedBy) {

    public static final String RECOVERED = "recovered";
    public static final String GONE = "gone";
    public static final String RULE = "rule";

    private static final SecureRandom RANDOM = new SecureRandom();

    public Alert {
        evidence = List.copyOf(evidence);
    }

    static Alert fired(String ruleId, AlertRule rule, Observation seen, Instant now) {
        return new Alert(
                HexFormat.of().toHexDigits(RANDOM.nextLong()),
                ruleId,
                rule.name(),
                seen.kind(),
                seen.subject(),
                rule.severityOf(seen),
                seen.state(),
                seen.since(),
                now,
                seen.text(),
                seen.evidence(),
                null,
                null,
                null,
                null,
                null,
                0,
                null);
    }

    public boolean open() {
        return endedAt == null;
    }

    /**
     * The same for the same rule and subject at all times: what receivers recognise a returning
     * alert by.
     */
    public String fingerprint() {
        UUID hash =
                UUID.nameUUIDFromBytes((rule + "\n" + subject).getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits(hash.getMostSignificantBits());
    }

    Alert seen(AlertRule by, Observation now) {
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
                silencedBy);
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
                by);
    }

    Alert told(Instant now) {
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
                silencedBy);
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
                null);
    }
}
