package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.Ascii;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The body of one response that is sent to a client, framed as its head announced (RFC 9112
 * sections 6 and 7.1).
 */
final class BodyWriter {

    private static final ByteBuf CRLF = Unpooled.unreleasableBuffer(
            Unpooled.directBuffer(2).writeBytes(Ascii.bytes("\r\n")).asReadOnly());
    private static final ByteBuf LAST_CHUNK = Unpooled.unreleasableBuffer(
            Unpooled.directBuffer(5).writeBytes(Ascii.bytes("0\r\n\r\n")).asReadOnly());

    private static final byte[] LAST_SIZE = Ascii.bytes("0\r\n");
    private static final byte[] LINE_END = Ascii.bytes("\r\n");

    private final ClientStream connection;
    private boolean chunked;

    BodyWriter(ClientStream connection) {
        this.connection = connection;
    }

    /**
     * Starts a body.
     *
     * @return whether it is chunked, for the head to announce
     */
    boolean begin(boolean inChunks) {
        chunked = inChunks;
        return inChunks;
    }

    /** Writes bytes. Takes ownership of the buffer. */
    void part(ByteBuf bytes) {
        int size = bytes.readableBytes();
        if (size == 0) {
            bytes.release();
            return;
        }
        if (chunked) {
            ByteBuf line = connection.buffer(16);
            line.writeCharSequence(Integer.toHexString(size) + "\r\n", StandardCharsets.US_ASCII);
            connection.write(line);
            connection.write(bytes);
            connection.write(CRLF.duplicate());
        } else {
            connection.write(bytes);
        }
        connection.flushLater();
    }

    /**
     * Ends the body.
     *
     * @param trailers the field lines for a client that accepts them; null for none
     */
    void last(byte @Nullable [] trailers) {
        if (!chunked) {
            if (trailers != null) {
                connection.trailers(trailers);
            }
        } else if (trailers == null) {
            connection.write(LAST_CHUNK.duplicate());
        } else {
            ByteBuf end = connection.buffer(5 + trailers.length);
            connection.write(end.writeBytes(LAST_SIZE).writeBytes(trailers).writeBytes(LINE_END));
        }
        connection.flushLater();
    }
}
