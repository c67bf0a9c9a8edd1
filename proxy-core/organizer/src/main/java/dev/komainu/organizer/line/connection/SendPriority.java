package dev.komainu.organizer.line.connection;

import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;

/**
 * Whose bytes go first: a rank from 0, control, over 1, {@code u=0}, to 8, {@code u=7} (RFC 9218
 * section 4.1; 3 where nothing is said). What is control only organizers can say: the field is
 * taken off every other request.
 */
public final class SendPriority {

    public static final int RANKS = 9;
    public static final int CONTROL = 0;
    public static final int USUAL = 4;

    private static final AsciiString PRIORITY = AsciiString.cached("priority");
    private static final AsciiString CLASS = AsciiString.cached("komainu-class");
    private static final AsciiString IS_CONTROL = AsciiString.cached("control");

    private SendPriority() {}

    public static int of(Http2Headers head) {
        CharSequence said = head.get(CLASS);
        return said != null && AsciiString.contentEquals(IS_CONTROL, said)
                ? CONTROL
                : rank(head.get(PRIORITY));
    }

    /** Marks a request as control, or makes sure that it is not marked. */
    public static void mark(Http2Headers head, boolean control) {
        if (control) {
            head.set(CLASS, IS_CONTROL);
        } else {
            head.remove(CLASS);
        }
    }

    /**
     * Of a dictionary such as {@code u=2, i} the member u; the last counts (RFC 8941 section 3.2),
     * nonsense counts as nothing said.
     */
    public static int rank(@Nullable CharSequence priority) {
        int rank = USUAL;
        if (priority == null) {
            return rank;
        }
        int length = priority.length();
        for (int at = 0; at < length; at++) {
            boolean begins = at == 0
                    || priority.charAt(at - 1) == ','
                    || priority.charAt(at - 1) == ' '
                    || priority.charAt(at - 1) == '\t';
            if (begins
                    && at + 2 < length
                    && priority.charAt(at) == 'u'
                    && priority.charAt(at + 1) == '=') {
                char digit = priority.charAt(at + 2);
                boolean alone = at + 3 == length || ",; \t".indexOf(priority.charAt(at + 3)) >= 0;
                rank = digit >= '0' && digit <= '7' && alone ? 1 + digit - '0' : USUAL;
            }
        }
        return rank;
    }

    /** What a head says of its body's bytes; -1: nothing. */
    public static long length(Http2Headers head) {
        CharSequence said = head.get("content-length");
        if (said == null || said.isEmpty() || said.length() > 18) {
            return -1;
        }
        long length = 0;
        for (int i = 0; i < said.length(); i++) {
            int digit = said.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            length = 10 * length + digit;
        }
        return length;
    }
}
