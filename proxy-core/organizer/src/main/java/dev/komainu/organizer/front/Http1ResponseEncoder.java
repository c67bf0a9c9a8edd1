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
 * How one answer is written for a client of HTTP/1.1 or 1.0: its head, and how its body ends (RFC
 * 9112 section 6). One for each request; one thread.
 */
final class Http1ResponseEncoder {

    private static final String CONNECTED = "HTTP/1.1 200 Connection established\r\n\r\n";

    private final ByteBufAllocator alloc;
    private final Consumer<ByteBuf> out;
    private final int minor;
    private final boolean isHead;
    private final @Nullable String webSocketKey;
    private boolean chunks;

    /** @param out takes over what is to be sent */
    Http1ResponseEncoder(
            ByteBufAllocator alloc, RequestHead asked, boolean upgrades, Consumer<ByteBuf> out) {
        this.alloc = alloc;
        this.out = out;
        this.minor = asked.minorVersion();
        this.isHead = asked.methodIs("HEAD");
        this.webSocketKey = upgrades ? asked.fields().joined("sec-websocket-key") : null;
    }

    /** 1xx, which HTTP/1.0 does not know. */
    void interim(Http2Headers fields) {
        if (minor > 0 && HeadConversion.status(fields) != 101) {
            ByteBuf text = alloc.directBuffer(1024);
            HeadConversion.answer(text, fields, minor);
            text.writeShort(HeadConversion.CRLF);
            out.accept(text);
        }
    }

    /** From here on bytes. */
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
        out.accept(text);
    }

    /**
     * The final head.
     *
     * @param ends there is no body; then an organizer's own refusal gets one
     * @param last no other request is taken on this connection
     * @return whether the connection has to end behind this answer
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
        boolean counted = fields.contains(HeadConversion.LENGTH);
        boolean untilClose = false;
        if (ends && !bodyless && !counted) {
            fields.set(HeadConversion.LENGTH, "0");
        } else if (!bodyless && !counted) {
            chunks = minor > 0;
            untilClose = !chunks;
        }
        boolean closes = last || untilClose;
        ByteBuf text = alloc.directBuffer(1024);
        HeadConversion.answer(text, fields, minor);
        if (chunks) {
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
        out.accept(text);
        return closes;
    }

    /** Of the body, or of a tunnel. Takes over the bytes. */
    void data(ByteBuf bytes, boolean ends) {
        int count = bytes.readableBytes();
        if (chunks && count > 0) {
            ByteBuf size = alloc.directBuffer(16);
            ByteBufUtil.writeAscii(size, Integer.toHexString(count));
            size.writeShort(HeadConversion.CRLF);
            out.accept(size);
        }
        if (count > 0) {
            out.accept(bytes);
        } else {
            bytes.release();
        }
        if (chunks && (count > 0 || ends)) {
            ByteBuf behind = alloc.directBuffer(8);
            if (count > 0) {
                behind.writeShort(HeadConversion.CRLF);
            }
            if (ends) {
                ByteBufUtil.writeAscii(behind, "0\r\n\r\n");
            }
            out.accept(behind);
        }
    }

    /** Behind a body of chunks; elsewhere they have no place. */
    void trailers(Http2Headers fields) {
        if (chunks) {
            ByteBuf text = alloc.directBuffer(256);
            ByteBufUtil.writeAscii(text, "0\r\n");
            HeadConversion.fields(text, fields);
            text.writeShort(HeadConversion.CRLF);
            out.accept(text);
        }
    }
}
