package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.Ascii;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** The start of HTTP/2 on a connection: by ALPN, or by the first bytes (RFC 9113 section 3.3). */
public final class Http2Negotiation {

    /** The result of comparing bytes with HTTP/2's preface. */
    enum Preface {
        NO,
        /** All bytes received so far match. */
        PERHAPS,
        YES
    }

    private static final byte[] PREFACE = Ascii.bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

    private Http2Negotiation() {}

    /**
     * Turns the channel into an HTTP/2 connection; its next bytes are the preface. On the channel's
     * event loop, which is that of the context. The peer must be counted in {@code ClientCounts};
     * it is removed there when the channel closes.
     */
    public static void open(LoopContext context, Channel channel, InetSocketAddress peer) {
        channel.pipeline().addLast(Http2Session.create(context, channel, peer));
    }

    /**
     * Reports whether a first line is neither that of an HTTP/1 request (its target and its version
     * are invalid) nor the preface. RFC 9113 section 3.4 requires no response to an invalid
     * preface.
     */
    static boolean isNeither(ByteBuf first) {
        int end = first.indexOf(first.readerIndex(), first.writerIndex(), (byte) '\r');
        if (end < 0) {
            return false;
        }
        String[] words = first.toString(
                        first.readerIndex(), end - first.readerIndex(), StandardCharsets.ISO_8859_1)
                .split(" ", -1);
        return words.length == 3
                && !words[2].startsWith("HTTP/")
                && !words[1].isEmpty()
                && words[1].chars().allMatch(c -> c < 128 && Character.isLetter(c));
    }

    static Preface match(ByteBuf first) {
        int count = Math.min(first.readableBytes(), PREFACE.length);
        for (int i = 0; i < count; i++) {
            if (first.getByte(first.readerIndex() + i) != PREFACE[i]) {
                return Preface.NO;
            }
        }
        return count == PREFACE.length ? Preface.YES : Preface.PERHAPS;
    }
}
