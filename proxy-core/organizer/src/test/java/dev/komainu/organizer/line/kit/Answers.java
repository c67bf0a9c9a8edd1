package dev.komainu.organizer.line.kit;

import dev.komainu.organizer.line.LinePeer;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamAcceptor;
import dev.komainu.organizer.line.StreamListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Server end of tests: {@code /bytes/N} N bytes of a pattern, {@code /echo} the body, {@code /hold}
 * nothing until the test answers, {@code /refuse-once} REFUSED_STREAM the first time,
 * {@code /reset} a reset, {@code /trailers} a body with trailers.
 */
public final class Answers implements StreamAcceptor {

    public final BlockingQueue<Held> held = new LinkedBlockingQueue<>();
    public final AtomicInteger taken = new AtomicInteger();
    public final AtomicInteger refused = new AtomicInteger();
    public volatile LinePeer lastPeer;

    /** A request for {@code /hold}. */
    public record Held(LineStream stream, Heard heard, Http2Headers head) {}

    /** Start of all bodies. */
    public static final byte[] PATTERN = new byte[5_000_000];

    static {
        for (int i = 0; i < PATTERN.length; i++) {
            PATTERN[i] = (byte) (i * 31 + (i >> 8));
        }
    }

    public static byte[] pattern(int count) {
        return Arrays.copyOf(PATTERN, count);
    }

    @Override
    public StreamListener take(Http2Headers head, boolean ends, LineStream stream, LinePeer peer) {
        taken.incrementAndGet();
        lastPeer = peer;
        String path = head.path().toString();
        if (path.startsWith("/bytes/")) {
            Pattern pattern = new Pattern(stream, Integer.parseInt(path.substring(7)));
            stream.head(ok().setLong("content-length", pattern.total), pattern.total == 0);
            pattern.writable();
            return pattern;
        }
        switch (path) {
            case "/echo" -> {
                stream.head(ok(), ends);
                return new Echo(stream);
            }
            case "/refuse-once" -> {
                if (refused.getAndIncrement() == 0) {
                    stream.reset(Http2Error.REFUSED_STREAM);
                } else {
                    stream.head(ok(), true);
                }
                return new Heard(true);
            }
            case "/reset" -> {
                stream.reset(Http2Error.INTERNAL_ERROR);
                return new Heard(true);
            }
            case "/throw" -> throw new IllegalArgumentException("a fault of the taker");
            case "/trailers" -> {
                stream.head(new DefaultHttp2Headers().status("103"), false);
                stream.head(ok(), false);
                stream.data(Unpooled.wrappedBuffer(new byte[] {1, 2, 3}), false);
                stream.trailers(new DefaultHttp2Headers().set("grade", "good"));
                return new Heard(true);
            }
            default -> {
                Heard heard = new Heard(false);
                heard.stream = stream;
                held.add(new Held(stream, heard, head));
                return heard;
            }
        }
    }

    public static Http2Headers ok() {
        return new DefaultHttp2Headers().status("200");
    }

    /** A body that is written as long as there is room. */
    public static final class Pattern extends Heard {

        private final LineStream to;
        private final int total;
        private int written;

        public Pattern(LineStream to, int total) {
            super(true);
            this.to = to;
            this.total = total;
        }

        @Override
        public void writable() {
            while (written < total && to.isWritable()) {
                int count = Math.min(50_000, total - written);
                ByteBuf bytes = Unpooled.wrappedBuffer(PATTERN, written, count);
                written += count;
                to.data(bytes, written == total);
            }
        }
    }

    private static final class Echo extends Heard {

        private final LineStream to;

        Echo(LineStream to) {
            super(true);
            this.to = to;
        }

        @Override
        public void data(ByteBuf data, boolean ends) {
            int count = data.readableBytes();
            to.data(data, ends);
            to.consumed(count);
        }

        @Override
        public void trailers(Http2Headers fields) {
            to.trailers(fields);
        }
    }
}
