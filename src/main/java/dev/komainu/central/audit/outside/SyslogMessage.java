package dev.komainu.central.audit.outside;

import dev.komainu.central.audit.AuditEntry;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An audit entry as a message of RFC 5424:
 *
 * <pre>
 * &lt;110&gt;1 2026-11-26T07:00:00.123456Z host komainu-central 4711 audit [komainu@32473 seq="12" hash="5f2b…"
 *  sig="kLx0…" actor="admin" action="user.role" outcome="done" …] admin user.role mio: done
 * </pre>
 *
 * Facility 13 (log audit), severity 6; refused attempts have severity 4. The element's id has the
 * enterprise number for examples (RFC 5612), since Komainu has none of its own. Pure.
 */
final class SyslogMessage {

    private static final int AUDIT = 13 * 8;
    private static final int WARNING = 4;
    private static final int INFORMATIONAL = 6;

    private SyslogMessage() {}

    /**
     * Returns the message's bytes.
     *
     * @param values whether it contains the states before and after, which can be long
     */
    static byte[] of(
            AuditEntry entry, String signature, String host, long process, boolean values) {
        int severity = entry.outcome().equals("done") ? INFORMATIONAL : WARNING;
        StringBuilder text = new StringBuilder(256)
                .append('<')
                .append(AUDIT + severity)
                .append(">1 ")
                .append(entry.at())
                .append(' ')
                .append(header(host, 255))
                .append(" komainu-central ")
                .append(process)
                .append(" audit [komainu@32473");
        parameter(text, "seq", Long.toString(entry.sequence()));
        parameter(text, "hash", entry.hash());
        parameter(text, "sig", signature);
        parameter(text, "actor", entry.actor());
        parameter(text, "action", entry.action());
        parameter(text, "subject", entry.subject());
        parameter(text, "outcome", entry.outcome());
        parameter(text, "attempts", Integer.toString(entry.attempts()));
        parameter(text, "address", entry.address());
        parameter(text, "agent", entry.agent());
        if (values) {
            parameter(text, "before", entry.before());
            parameter(text, "after", entry.after());
        } else {
            parameter(text, "cut", "before, after");
        }
        text.append("] ")
                .append(plain(entry.actor()))
                .append(' ')
                .append(plain(entry.action()))
                .append(entry.subject() == null ? "" : " " + plain(entry.subject()))
                .append(": ")
                .append(plain(entry.outcome()));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Appends a parameter with its three escapes (RFC 5424 section 6.3.3); nothing when absent. */
    private static void parameter(StringBuilder text, String name, @Nullable String value) {
        if (value == null) {
            return;
        }
        text.append(' ').append(name).append("=\"");
        String plain = plain(Objects.requireNonNull(value));
        for (int i = 0; i < plain.length(); i++) {
            char c = plain.charAt(i);
            if (c == '"' || c == '\\' || c == ']') {
                text.append('\\');
            }
            text.append(c);
        }
        text.append('"');
    }

    /** Replaces control characters, which could look like another line. */
    private static String plain(String text) {
        return text.replaceAll("\\p{Cntrl}", " ");
    }

    private static String header(String text, int most) {
        String printable = text.replaceAll("[^!-~]", "");
        return printable.isEmpty()
                ? "-"
                : printable.substring(0, Math.min(most, printable.length()));
    }
}
