package dev.komainu.central.audit;

import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * A row of the audit log before it has a number. Its texts are shortened to the columns' lengths;
 * half a surrogate pair, which has no UTF-8, is replaced.
 */
public record AuditDraft(
        String actor,
        String action,
        @Nullable String subject,
        String outcome,
        int attempts,
        @Nullable String address,
        @Nullable String agent,
        @Nullable String before,
        @Nullable String after) {

    public AuditDraft {
        actor = text(actor, 80);
        action = text(action, 40);
        subject = cut(subject, 200);
        outcome = text(outcome, 20);
        address = cut(address, 64);
        agent = cut(agent, 200);
        before = cut(before, 2000);
        after = cut(after, 2000);
    }

    /** Returns an entry of the service itself. */
    static AuditDraft own(String action, String subject, @Nullable String before) {
        return new AuditDraft("system", action, subject, "done", 1, null, null, before, null);
    }

    AuditDraft attempts(int other) {
        return new AuditDraft(
                actor, action, subject, outcome, other, address, agent, before, after);
    }

    /** Returns the row after {@code head}. */
    AuditEntry after(AuditHead head, Instant now) {
        AuditEntry entry = new AuditEntry(
                head.sequence() + 1,
                now.truncatedTo(ChronoUnit.MICROS),
                actor,
                action,
                subject,
                outcome,
                attempts,
                address,
                agent,
                before,
                after,
                "");
        return entry.withHash(AuditHash.of(head.hash(), entry));
    }

    private static @Nullable String cut(@Nullable String text, int most) {
        return text == null ? null : text(text, most);
    }

    private static String text(String text, int most) {
        String cut = text.length() <= most ? text : text.substring(0, most - 1) + "…";
        try {
            StandardCharsets.UTF_8.newEncoder().encode(java.nio.CharBuffer.wrap(cut));
            return cut;
        } catch (CharacterCodingException e) {
            return new String(cut.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
        }
    }
}
