package dev.komainu.organizer.front;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.organizer.line.tunnel.WebSocketHandshake;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Encoder of one response for an HTTP/1.1 or 1.0 client. It selects how the body is delimited (RFC
 * 9112 section 6). One for each request; single-threaded.
 */
final class Http1ResponseEncoder {

    private static final String CONNECTED = "HTTP/1.1 200 Connection established\r\n\r\n";

    private final ByteBufAllocator alloc;
    private final Consumer<ByteBuf> output;
    private final int minor;
    private final boolean isHead;
    private final @Nullable String webSocketKey;
    private boolean chunked;

    /**
     * Creates the encoder of one response.
     *
     * @param output receives the buffers to send, and their ownership
     */
    Http1ResponseEncoder(
            ByteBufAllocator alloc,
            RequestHead request,
            boolean upgrades,
            Consumer<ByteBuf> output) {
        this.alloc = alloc;
        this.output = output;
        this.minor = request.minorVersion();
        this.isHead = request.methodIs("HEAD");
        this.webSocketKey = upgrades ? request.fields().joined("sec-websocket-key") : null;
    }

    /** Writes a 1xx response. HTTP/1.0 has none. */
    void interim(Http2Headers fields) {
        if (minor > 0 && HeadConversion.status(fields) != 101) {
            ByteBuf text = alloc.directBuffer(1024);
            HeadConversion.response(text, fields, minor);
            text.writeShort(HeadConversion.CRLF);
            output.accept(text);
        }
    }

    /** Writes the head that opens a tunnel. */
    void tunnel(Http2Headers fields) {
        ByteBuf text = alloc.directBuffer(1024);
        String key = webSocketKey;
        if (key == null) {
            ByteBufUtil.writeAscii(text, CONNECTED);
        } else {
            ByteBufUtil.writeAscii(
                    text,
                    "HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: "
                            + WebSocketHandshake.acceptance(key) + "\r\n");
            HeadConversion.fields(text, fields);
            text.writeShort(HeadConversion.CRLF);
        }
        output.accept(text);
    }

    /**
     * Writes the final head.
     *
     * @param ends whether there is no body; a refusal of an organizer then gets a text body
     * @param last whether no other request is accepted on this connection
     * @return whether the connection must close after this response
     */
    boolean head(Http2Headers fields, boolean ends, boolean last) {
        int status = HeadConversion.status(fields);
        String body = "";
        if (ends && fields.contains(HeadConversion.REFUSAL)) {
            body = status + " " + fields.get(HeadConversion.REFUSAL) + "\n";
            fields.set(HeadConversion.LENGTH, Integer.toString(body.length()));
            fields.set("content-type", "text/plain");
        }
        boolean bodyless = isHead || status == 204 || status == 304;
        boolean hasLength = fields.contains(HeadConversion.LENGTH);
        boolean untilClose = false;
        if (ends && !bodyless && !hasLength) {
            fields.set(HeadConversion.LENGTH, "0");
        } else if (!bodyless && !hasLength) {
            chunked = minor > 0;
            untilClose = !chunked;
        }
        boolean closes = last || untilClose;
        ByteBuf text = alloc.directBuffer(1024);
        HeadConversion.response(text, fields, minor);
        if (chunked) {
            ByteBufUtil.writeAscii(text, "transfer-encoding: chunked\r\n");
        }
        if (closes) {
            ByteBufUtil.writeAscii(text, "connection: close\r\n");
        } else if (minor == 0) {
            ByteBufUtil.writeAscii(text, "connection: keep-alive\r\n");
        }
        text.writeShort(HeadConversion.CRLF);
        if (!isHead) {
            ByteBufUtil.writeAscii(text, body);
        }
        output.accept(text);
        return closes;
    }

    /** Writes bytes of the body or of a tunnel. Takes ownership of the buffer. */
    void data(ByteBuf bytes, boolean ends) {
        int count = bytes.readableBytes();
        if (chunked && count > 0) {
            ByteBuf size = alloc.directBuffer(16);
            ByteBufUtil.writeAscii(size, Integer.toHexString(count));
            size.writeShort(HeadConversion.CRLF);
            output.accept(size);
        }
        if (count > 0) {
            output.accept(bytes);
        } else {
            bytes.release();
        }
        if (chunked && (count > 0 || ends)) {
            ByteBuf suffix = alloc.directBuffer(8);
            if (count > 0) {
                suffix.writeShort(HeadConversion.CRLF);
            }
            if (ends) {
                ByteBufUtil.writeAscii(suffix, "0\r\n\r\n");
            }
            output.accept(suffix);
        }
    }

    /** Writes the trailers of a chunked body. Other bodies have none. */
    void trailers(Http2Headers fields) {
        if (chunked) {
            ByteBuf text = alloc.directBuffer(256);
            ByteBufUtil.writeAscii(text, "0\r\n");
            HeadConversion.fields(text, fields);
            text.writeShort(HeadConversion.CRLF);
            output.accept(text);
        }
    }
}
