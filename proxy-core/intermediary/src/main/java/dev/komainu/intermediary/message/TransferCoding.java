package dev.komainu.intermediary.message;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The only transfer coding that this proxy decodes: chunked. */
final class TransferCoding {

    private static final byte[] CHUNKED = Ascii.bytes("chunked");

    private TransferCoding() {}

    /**
     * Checks that Transfer-Encoding is exactly {@code chunked}, once (RFC 9112 sections 6.1 and 7).
     */
    static @Nullable MessageFault chunkedOnly(Fields fields) {
        int index = fields.indexOf(Field.TRANSFER_ENCODING);
        if (!fields.isRepeated(Field.TRANSFER_ENCODING)
                && Ascii.equalsLower(
                        fields.bytes(),
                        fields.valueFrom(index),
                        fields.valueLength(index),
                        CHUNKED)) {
            return null;
        }
        String all =
                String.valueOf(fields.joined(Field.TRANSFER_ENCODING)).toLowerCase(Locale.ROOT);
        boolean lastChunked = all.matches("(?s).*,[ \t]*chunked");
        boolean onceChunked = all.indexOf("chunked") == all.lastIndexOf("chunked");
        return lastChunked && onceChunked
                ? MessageFault.CODING_UNKNOWN
                : MessageFault.CODING_MALFORMED;
    }
}
