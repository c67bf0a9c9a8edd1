package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.Ascii;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/**
 * Where connections become HTTP/2: by what was agreed before (ALPN), or by their first bytes (RFC
 * 9113 section 3.3).
 */
public final class Http2Negotiation {

    /** Whether bytes are HTTP/2's preface. */
    enum Preface {
        NO,
        /** As far as they go. */
        PERHAPS,
        YES
    }

    private static final byte[] PREFACE = Ascii.bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

    private Http2Negotiation() {}

    /**
     * From now on the channel's bytes are an HTTP/2 connection, its preface first. On the channel's
     * event loop, which is the worker's; the peer must have entered {@code ClientCounts}, and
     * leaves them when the channel closes.
     */
    public static void open(LoopContext worker, Channel channel, InetSocketAddress peer) {
        channel.pipeline().addLast(Http2Session.on(worker, channel, peer));
    }

    /**
     * Whether a first line can be of no HTTP/1 request (neither its target nor its version is one)
     * and is no preface either: an invalid preface, of which RFC 9113 section 3.4 says that it
     * needs no answer.
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

    static Preface look(ByteBuf first) {
        int count = Math.min(first.readableBytes(), PREFACE.length);
        for (int i = 0; i < count; i++) {
            if (first.getByte(first.readerIndex() + i) != PREFACE[i]) {
                return Preface.NO;
            }
        }
        return count == PREFACE.length ? Preface.YES : Preface.PERHAPS;
    }
}
