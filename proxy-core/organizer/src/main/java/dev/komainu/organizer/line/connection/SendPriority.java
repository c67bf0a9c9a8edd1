package dev.komainu.organizer.line.connection;

import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;

/**
 * The order of sending, as a rank: 0 is control, 1 is {@code u=0}, 8 is {@code u=7} (RFC 9218
 * section 4.1; without a priority field {@code u=3}). Only organizers mark requests as control: the
 * field is removed from every other request.
 */
public final class SendPriority {

    public static final int RANKS = 9;
    public static final int CONTROL = 0;
    public static final int USUAL = 4;

    private static final AsciiString PRIORITY = AsciiString.cached("priority");
    private static final AsciiString CLASS = AsciiString.cached("komainu-class");
    private static final AsciiString IS_CONTROL = AsciiString.cached("control");

    private SendPriority() {}

    /** Returns the rank of a request, 0 to 8. */
    public static int of(Http2Headers head) {
        CharSequence value = head.get(CLASS);
        return value != null && AsciiString.contentEquals(IS_CONTROL, value)
                ? CONTROL
                : rank(head.get(PRIORITY));
    }

    /** Marks a request as control, or removes the mark. */
    public static void mark(Http2Headers head, boolean control) {
        if (control) {
            head.set(CLASS, IS_CONTROL);
        } else {
            head.remove(CLASS);
        }
    }

    /**
     * Returns the rank of the member {@code u} of a dictionary such as {@code u=2, i}. The last one
     * counts (RFC 8941 section 3.2); a malformed value counts as absent.
     */
    public static int rank(@Nullable CharSequence priority) {
        int rank = USUAL;
        if (priority == null) {
            return rank;
        }
        int length = priority.length();
        for (int index = 0; index < length; index++) {
            boolean begins = index == 0
                    || priority.charAt(index - 1) == ','
                    || priority.charAt(index - 1) == ' '
                    || priority.charAt(index - 1) == '\t';
            if (begins
                    && index + 2 < length
                    && priority.charAt(index) == 'u'
                    && priority.charAt(index + 1) == '=') {
                char digit = priority.charAt(index + 2);
                boolean alone =
                        index + 3 == length || ",; \t".indexOf(priority.charAt(index + 3)) >= 0;
                rank = digit >= '0' && digit <= '7' && alone ? 1 + digit - '0' : USUAL;
            }
        }
        return rank;
    }

    /** Returns the length of the body that a head declares, in bytes; -1: none. */
    public static long length(Http2Headers head) {
        CharSequence value = head.get("content-length");
        if (value == null || value.isEmpty() || value.length() > 18) {
            return -1;
        }
        long length = 0;
        for (int i = 0; i < value.length(); i++) {
            int digit = value.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            length = 10 * length + digit;
        }
        return length;
    }
}
