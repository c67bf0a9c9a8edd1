package dev.komainu.intermediary.message;

import org.jspecify.annotations.Nullable;

/**
 * The length of a request's body and the way in which its end is marked. Belongs to one
 * {@link RequestHead} and is read with it.
 */
final class RequestFraming {

    /** Announced body bytes; 0 for none, -1 when chunked. */
    long contentLength;

    boolean chunked;

    /**
     * Reads the framing fields by RFC 9112 section 6.3, without any of the repairs that it permits.
     */
    @Nullable
    MessageFault read(byte[] scratch, Fields fields, int minor) {
        contentLength = 0;
        chunked = false;
        boolean coding = fields.has(Field.TRANSFER_ENCODING);
        boolean counted = fields.has(Field.CONTENT_LENGTH);
        if (coding) {
            if (minor == 0) {
                return MessageFault.CODING_IN_HTTP10;
            }
            if (counted) {
                return MessageFault.LENGTH_AND_CODING;
            }
            MessageFault wrong = TransferCoding.chunkedOnly(fields);
            if (wrong != null) {
                return wrong;
            }
            chunked = true;
            contentLength = -1;
        } else if (counted) {
            if (fields.isRepeated(Field.CONTENT_LENGTH)) {
                return MessageFault.LENGTH_REPEATED;
            }
            int index = fields.indexOf(Field.CONTENT_LENGTH);
            contentLength =
                    Ascii.decimal(scratch, fields.valueFrom(index), fields.valueLength(index));
            if (contentLength < 0) {
                return MessageFault.LENGTH;
            }
        }
        return null;
    }

    void copy(RequestFraming from) {
        contentLength = from.contentLength;
        chunked = from.chunked;
    }
}
