package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.Ascii;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.ReadOnlyHttp2Headers;
import io.netty.util.AsciiString;
import java.util.Arrays;

/**
 * The head of a response as fields of HTTP/2, made from its HTTP/1 text: names in lower case, the
 * status in a pseudo field, no reason phrase, no field of a connection (RFC 9113 sections 8.2.2 and
 * 8.3.2).
 *
 * @param informational whether it is an interim response (1xx)
 */
record Http2ResponseFields(Http2Headers fields, boolean informational) {

    private static final int STATUS_FROM = "HTTP/1.1 ".length();
    private static final byte[][] OF_CONNECTION = {
        Ascii.bytes("connection"),
        Ascii.bytes("keep-alive"),
        Ascii.bytes("proxy-connection"),
        Ascii.bytes("transfer-encoding"),
        Ascii.bytes("upgrade")
    };

    /** Reads the head from the buffer; the rest of the buffer is the start of the body. */
    static Http2ResponseFields read(ByteBuf text) {
        int length = length(text);
        byte[] head = new byte[length];
        text.readBytes(head);
        AsciiString status = new AsciiString(head, STATUS_FROM, 3, true);
        return new Http2ResponseFields(
                ReadOnlyHttp2Headers.serverHeaders(
                        false, status, fields(head, end(head, 0) + 2, length - 2)),
                head[STATUS_FROM] == '1');
    }

    /**
     * Returns trailers as fields.
     *
     * @param lines the field lines, each with its CRLF
     */
    static Http2Headers trailers(byte[] lines) {
        return ReadOnlyHttp2Headers.trailers(false, fields(lines, 0, lines.length));
    }

    private static AsciiString[] fields(byte[] head, int from, int to) {
        AsciiString[] fields = new AsciiString[32];
        int count = 0;
        int line = from;
        while (line < to) {
            int end = end(head, line);
            int colon = line;
            while (head[colon] != ':') {
                colon++;
            }
            int value = colon + 1;
            while (value < end && head[value] == ' ') {
                value++;
            }
            if (!isOfConnection(head, line, colon - line)) {
                for (int i = line; i < colon; i++) {
                    head[i] = Ascii.lower(head[i]);
                }
                if (count == fields.length) {
                    fields = Arrays.copyOf(fields, 2 * count);
                }
                // Copies: the encoder's table keeps them, and must not keep the whole head alive.
                fields[count++] = new AsciiString(head, line, colon - line, true);
                fields[count++] = new AsciiString(head, value, end - value, true);
            }
            line = end + 2;
        }
        return Arrays.copyOf(fields, count);
    }

    private static int length(ByteBuf text) {
        int from = text.readerIndex();
        for (int p = from; p + 3 < text.writerIndex(); p++) {
            if (text.getByte(p) == '\r' && text.getByte(p + 2) == '\r') {
                return p + 4 - from;
            }
        }
        throw new IllegalStateException(
                "The first buffer of a response does not contain its whole head");
    }

    private static int end(byte[] head, int from) {
        int p = from;
        while (head[p] != '\r') {
            p++;
        }
        return p;
    }

    private static boolean isOfConnection(byte[] head, int from, int length) {
        for (byte[] name : OF_CONNECTION) {
            if (Ascii.equalsLower(head, from, length, name)) {
                return true;
            }
        }
        return false;
    }
}
