package dev.komainu.organizer.front;

import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.ResponseHead;
import dev.komainu.intermediary.upstream.Origin;
import dev.komainu.intermediary.upstream.OriginConnection;
import dev.komainu.intermediary.upstream.OriginFailure;
import dev.komainu.intermediary.upstream.OriginListener;
import dev.komainu.organizer.line.LineBuffers;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.server.LocalServer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One request to a server of this member, by HTTP/1.1 over a kept connection, as if the server were
 * at the other end of a line. What it could not answer comes as a head too, with
 * {@link HeadConversion#REFUSAL}. On its loop.
 *
 * <p>A kept connection that closes in the moment of its use says nothing of the server: a safe
 * request without a body is then sent once more, on a fresh one (RFC 9112 section 9.3.1).
 */
final class LocalServerRequest implements LineStream, OriginListener {

    static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    /** Given out and not taken yet: then the server is not read. */
    private static final int MOST_UNTAKEN = 128 << 10;

    private final ServerConnections connections;
    private final RoutingContext routing;
    private final LocalServer server;
    private final Origin origin;
    private final Http2Headers head;
    private final boolean endsAtHead;
    private final StreamListener owner;
    private final boolean chunks;
    private final Deque<ByteBuf> early = new ArrayDeque<>(0);
    private @Nullable Http2Headers earlyTrailers;
    private @Nullable OriginConnection on;
    private boolean fresh;
    private boolean reused;
    private boolean roomy = true;
    private boolean saidAll;
    private boolean answered;
    private boolean heardAll;
    private boolean over;
    private boolean paused;
    private long left = -1;
    private int untaken;
    private long beganNanos;
    private long micros;

    LocalServerRequest(
            ServerConnections connections,
            RoutingContext routing,
            LocalServer server,
            Http2Headers head,
            boolean ends,
            StreamListener owner) {
        this.connections = connections;
        this.routing = routing;
        this.server = server;
        this.origin = connections.origin(server);
        this.head = head;
        this.endsAtHead = ends;
        this.owner = owner;
        this.chunks = !ends && HeadConversion.length(head) < 0;
    }

    /** Begins; may tell its owner before it returns. */
    void start() {
        beganNanos = System.nanoTime();
        server.began();
        if (HeadConversion.isRequestLine(head)) {
            connections.pool().acquire(origin, false, null, this);
        } else {
            refused(GatewayError.MALFORMED_REQUEST, LocalServer.Ending.GIVEN_UP);
        }
    }

    // What the server's connection tells.

    @Override
    public boolean isNeeded() {
        return !over;
    }

    @Override
    public void connected(OriginConnection connection) {
        if (over) {
            connection.returnUnused();
            return;
        }
        on = connection;
        reused = connection.isReused();
        ByteBuf out = LineBuffers.ALLOCATOR.directBuffer(1024);
        HeadConversion.request(out, head, origin.authority());
        if (chunks) {
            ByteBufUtil.writeAscii(out, "transfer-encoding: chunked\r\n");
        }
        out.writeShort(HeadConversion.CRLF);
        connection.send(out, isHead(), endsAtHead);
        while (!early.isEmpty() && on != null) {
            ByteBuf part = early.remove();
            write(part, saidAll && early.isEmpty() && earlyTrailers == null);
        }
        Http2Headers behind = earlyTrailers;
        if (behind != null) {
            earlyTrailers = null;
            writeEnd(behind);
        }
        if (!endsAtHead && !saidAll) {
            owner.writable();
        }
    }

    private boolean isHead() {
        return "HEAD".contentEquals(String.valueOf(head.method()));
    }

    @Override
    public void informational(ResponseHead interim) {
        owner.head(HeadConversion.of(interim), false);
    }

    @Override
    public void head(ResponseHead said) {
        answered = true;
        micros = (System.nanoTime() - beganNanos) / 1000;
        heardAll = !said.hasBody(isHead());
        left = said.isChunked() ? -1 : said.contentLength();
        owner.head(HeadConversion.of(said), heardAll);
    }

    @Override
    public void body(ByteBuf slice) {
        int count = slice.readableBytes();
        if (left >= 0) {
            left -= count;
            heardAll = left == 0;
        }
        untaken += count;
        owner.data(slice.retainedSlice(), heardAll);
        OriginConnection from = on;
        if (untaken > MOST_UNTAKEN && !heardAll && !paused && from != null) {
            paused = true;
            from.setReading(false);
        }
    }

    @Override
    public void trailers(Fields trailers) {
        heardAll = true;
        owner.trailers(HeadConversion.of(trailers));
    }

    @Override
    public void end() {
        if (over) {
            return;
        }
        on = null;
        if (!heardAll) {
            owner.data(Unpooled.EMPTY_BUFFER, true);
        }
        finish(LocalServer.Ending.ANSWERED);
        owner.ended(ExchangeEndings.COMPLETE);
    }

    @Override
    public void failed(OriginFailure failure) {
        if (over) {
            return;
        }
        on = null;
        GatewayError why = GatewayError.of(failure);
        if (answered) {
            finish(LocalServer.Ending.BROKEN);
            owner.ended(ExchangeEndings.broken(failure.message()));
        } else if (!fresh
                && reused
                && endsAtHead
                && why == GatewayError.SERVER_BROKE
                && SAFE.contains(method())) {
            fresh = true;
            connections.pool().acquire(origin, true, null, this);
        } else {
            refused(
                    why,
                    switch (why) {
                        case SERVER_REFUSED -> LocalServer.Ending.REFUSED;
                        case SERVER_BUSY -> LocalServer.Ending.GIVEN_UP;
                        default -> LocalServer.Ending.BROKEN;
                    });
        }
    }

    private String method() {
        return String.valueOf(head.method());
    }

    private void refused(GatewayError why, LocalServer.Ending ending) {
        finish(ending);
        owner.head(routing.refusal(why, routing.self().text()), true);
        owner.ended(ExchangeEndings.COMPLETE);
    }

    private void finish(LocalServer.Ending ending) {
        over = true;
        server.ended(ending, micros);
        early.forEach(ByteBuf::release);
        early.clear();
    }

    /** There is room for the body. */
    @Override
    public void writable() {
        roomy = true;
        if (!over && !saidAll) {
            owner.writable();
        }
    }

    // What is said to the server.

    @Override
    public EventLoop loop() {
        return connections.loop();
    }

    @Override
    public void head(Http2Headers fields, boolean ends) {
        throw new IllegalStateException("A request has one head");
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        if (over || saidAll || endsAtHead) {
            bytes.release();
            return;
        }
        saidAll = ends;
        if (on == null) {
            early.add(bytes);
        } else {
            write(bytes, ends);
        }
    }

    private void write(ByteBuf bytes, boolean ends) {
        OriginConnection to = on;
        int count = bytes.readableBytes();
        if (to == null || count == 0 && !ends) {
            bytes.release();
            return;
        }
        ByteBuf part = bytes;
        if (chunks) {
            ByteBuf size = LineBuffers.ALLOCATOR.directBuffer(16);
            if (count > 0) {
                ByteBufUtil.writeAscii(size, Integer.toHexString(count));
                size.writeShort(HeadConversion.CRLF);
            }
            ByteBuf behind = LineBuffers.ALLOCATOR.directBuffer(8);
            if (count > 0) {
                behind.writeShort(HeadConversion.CRLF);
            }
            if (ends) {
                ByteBufUtil.writeAscii(behind, "0\r\n\r\n");
            }
            part = LineBuffers.ALLOCATOR
                    .compositeBuffer(3)
                    .addComponents(true, size, bytes, behind);
        }
        roomy = to.sendBody(part, ends);
    }

    @Override
    public void trailers(Http2Headers fields) {
        if (over || saidAll || endsAtHead) {
            return;
        }
        saidAll = true;
        if (on == null) {
            earlyTrailers = fields;
        } else {
            writeEnd(fields);
        }
    }

    private void writeEnd(Http2Headers trailers) {
        OriginConnection to = on;
        if (to != null) {
            ByteBuf out = LineBuffers.ALLOCATOR.directBuffer(256);
            if (chunks) {
                ByteBufUtil.writeAscii(out, "0\r\n");
                HeadConversion.fields(out, trailers);
                out.writeShort(HeadConversion.CRLF);
            }
            to.sendBody(out, true);
        }
    }

    @Override
    public boolean isWritable() {
        return !over && !saidAll && !endsAtHead && on != null && roomy;
    }

    @Override
    public void consumed(int bytes) {
        untaken -= bytes;
        OriginConnection from = on;
        if (paused && untaken <= MOST_UNTAKEN / 2) {
            paused = false;
            if (from != null) {
                from.setReading(true);
            }
        }
    }

    @Override
    public void reset(Http2Error why) {
        if (over) {
            return;
        }
        OriginConnection from = on;
        on = null;
        finish(LocalServer.Ending.GIVEN_UP);
        if (from != null) {
            from.abort();
        }
        owner.ended(ExchangeEndings.CANCELLED);
    }
}
