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
 * One HTTP/1.1 request to a server of this member over a pooled connection, with the interface of a
 * line stream. A failure without a response is reported as a head with
 * {@link HeadConversion#REFUSAL}. Used on its loop.
 *
 * <p>When a pooled connection closes while it is being reused, the server has not failed: a safe
 * request without a body is repeated once on a new connection (RFC 9112 section 9.3.1).
 */
final class LocalServerRequest implements LineStream, OriginListener {

    static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS", "TRACE");

    /**
     * Response bytes that were passed on and not yet consumed. Above this limit the server is not
     * read.
     */
    private static final int MAX_UNCONSUMED = 128 << 10;

    private final ServerConnections connections;
    private final RoutingContext routing;
    private final LocalServer server;
    private final Origin origin;
    private final Http2Headers head;
    private final boolean endsAtHead;
    private final StreamListener listener;
    private final boolean chunked;
    private final Deque<ByteBuf> queued = new ArrayDeque<>(0);
    private @Nullable Http2Headers queuedTrailers;
    private @Nullable OriginConnection connection;
    private boolean fresh;
    private boolean reused;
    private boolean hasRoom = true;
    private boolean requestDone;
    private boolean responseStarted;
    private boolean responseDone;
    private boolean ended;
    private boolean paused;
    private long remaining = -1;
    private int unconsumed;
    private long startNanos;
    private long micros;

    LocalServerRequest(
            ServerConnections connections,
            RoutingContext routing,
            LocalServer server,
            Http2Headers head,
            boolean ends,
            StreamListener listener) {
        this.connections = connections;
        this.routing = routing;
        this.server = server;
        this.origin = connections.origin(server);
        this.head = head;
        this.endsAtHead = ends;
        this.listener = listener;
        this.chunked = !ends && HeadConversion.length(head) < 0;
    }

    /** Starts the request. The listener may be notified before this method returns. */
    void start() {
        startNanos = System.nanoTime();
        server.started();
        if (HeadConversion.isRequestLine(head)) {
            connections.pool().acquire(origin, false, null, this);
        } else {
            refuse(GatewayError.MALFORMED_REQUEST, LocalServer.Ending.GIVEN_UP);
        }
    }

    // Events of the server connection.

    @Override
    public boolean isNeeded() {
        return !ended;
    }

    @Override
    public void connected(OriginConnection opened) {
        if (ended) {
            opened.returnUnused();
            return;
        }
        connection = opened;
        reused = opened.isReused();
        ByteBuf out = LineBuffers.ALLOCATOR.directBuffer(1024);
        HeadConversion.request(out, head, origin.authority());
        if (chunked) {
            ByteBufUtil.writeAscii(out, "transfer-encoding: chunked\r\n");
        }
        out.writeShort(HeadConversion.CRLF);
        opened.send(out, isHead(), endsAtHead);
        while (!queued.isEmpty() && connection != null) {
            ByteBuf part = queued.remove();
            write(part, requestDone && queued.isEmpty() && queuedTrailers == null);
        }
        Http2Headers suffix = queuedTrailers;
        if (suffix != null) {
            queuedTrailers = null;
            writeEnd(suffix);
        }
        if (!endsAtHead && !requestDone) {
            listener.writable();
        }
    }

    private boolean isHead() {
        return "HEAD".contentEquals(String.valueOf(head.method()));
    }

    @Override
    public void informational(ResponseHead interim) {
        listener.head(HeadConversion.of(interim), false);
    }

    @Override
    public void head(ResponseHead response) {
        responseStarted = true;
        micros = (System.nanoTime() - startNanos) / 1000;
        responseDone = !response.hasBody(isHead());
        remaining = response.isChunked() ? -1 : response.contentLength();
        listener.head(HeadConversion.of(response), responseDone);
    }

    @Override
    public void body(ByteBuf slice) {
        int count = slice.readableBytes();
        if (remaining >= 0) {
            remaining -= count;
            responseDone = remaining == 0;
        }
        unconsumed += count;
        listener.data(slice.retainedSlice(), responseDone);
        OriginConnection from = connection;
        if (unconsumed > MAX_UNCONSUMED && !responseDone && !paused && from != null) {
            paused = true;
            from.setReading(false);
        }
    }

    @Override
    public void trailers(Fields trailers) {
        responseDone = true;
        listener.trailers(HeadConversion.of(trailers));
    }

    @Override
    public void end() {
        if (ended) {
            return;
        }
        connection = null;
        if (!responseDone) {
            listener.data(Unpooled.EMPTY_BUFFER, true);
        }
        finish(LocalServer.Ending.ANSWERED);
        listener.ended(ExchangeEndings.COMPLETE);
    }

    @Override
    public void failed(OriginFailure failure) {
        if (ended) {
            return;
        }
        connection = null;
        GatewayError error = GatewayError.of(failure);
        if (responseStarted) {
            finish(LocalServer.Ending.BROKEN);
            listener.ended(ExchangeEndings.broken(failure.message()));
        } else if (!fresh
                && reused
                && endsAtHead
                && error == GatewayError.SERVER_BROKE
                && SAFE.contains(method())) {
            fresh = true;
            connections.pool().acquire(origin, true, null, this);
        } else {
            refuse(
                    error,
                    switch (error) {
                        case SERVER_REFUSED -> LocalServer.Ending.REFUSED;
                        case SERVER_BUSY -> LocalServer.Ending.GIVEN_UP;
                        default -> LocalServer.Ending.BROKEN;
                    });
        }
    }

    private String method() {
        return String.valueOf(head.method());
    }

    private void refuse(GatewayError error, LocalServer.Ending ending) {
        finish(ending);
        listener.head(routing.refusal(error, routing.self().text()), true);
        listener.ended(ExchangeEndings.COMPLETE);
    }

    private void finish(LocalServer.Ending ending) {
        ended = true;
        server.ended(ending, micros);
        queued.forEach(ByteBuf::release);
        queued.clear();
    }

    /** Resumes the request body. */
    @Override
    public void writable() {
        hasRoom = true;
        if (!ended && !requestDone) {
            listener.writable();
        }
    }

    // The request body.

    @Override
    public EventLoop loop() {
        return connections.loop();
    }

    @Override
    public void head(Http2Headers fields, boolean ends) {
        throw new IllegalStateException("The head of the request is already known");
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        if (ended || requestDone || endsAtHead) {
            bytes.release();
            return;
        }
        requestDone = ends;
        if (connection == null) {
            queued.add(bytes);
        } else {
            write(bytes, ends);
        }
    }

    private void write(ByteBuf bytes, boolean ends) {
        OriginConnection to = connection;
        int count = bytes.readableBytes();
        if (to == null || (count == 0 && !ends)) {
            bytes.release();
            return;
        }
        ByteBuf part = bytes;
        if (chunked) {
            ByteBuf size = LineBuffers.ALLOCATOR.directBuffer(16);
            if (count > 0) {
                ByteBufUtil.writeAscii(size, Integer.toHexString(count));
                size.writeShort(HeadConversion.CRLF);
            }
            ByteBuf suffix = LineBuffers.ALLOCATOR.directBuffer(8);
            if (count > 0) {
                suffix.writeShort(HeadConversion.CRLF);
            }
            if (ends) {
                ByteBufUtil.writeAscii(suffix, "0\r\n\r\n");
            }
            part = LineBuffers.ALLOCATOR
                    .compositeBuffer(3)
                    .addComponents(true, size, bytes, suffix);
        }
        hasRoom = to.sendBody(part, ends);
    }

    @Override
    public void trailers(Http2Headers fields) {
        if (ended || requestDone || endsAtHead) {
            return;
        }
        requestDone = true;
        if (connection == null) {
            queuedTrailers = fields;
        } else {
            writeEnd(fields);
        }
    }

    private void writeEnd(Http2Headers trailers) {
        OriginConnection to = connection;
        if (to != null) {
            ByteBuf out = LineBuffers.ALLOCATOR.directBuffer(256);
            if (chunked) {
                ByteBufUtil.writeAscii(out, "0\r\n");
                HeadConversion.fields(out, trailers);
                out.writeShort(HeadConversion.CRLF);
            }
            to.sendBody(out, true);
        }
    }

    @Override
    public boolean isWritable() {
        return !ended && !requestDone && !endsAtHead && connection != null && hasRoom;
    }

    @Override
    public void consumed(int bytes) {
        unconsumed -= bytes;
        OriginConnection from = connection;
        if (paused && unconsumed <= MAX_UNCONSUMED / 2) {
            paused = false;
            if (from != null) {
                from.setReading(true);
            }
        }
    }

    @Override
    public void reset(Http2Error error) {
        if (ended) {
            return;
        }
        OriginConnection from = connection;
        connection = null;
        finish(LocalServer.Ending.GIVEN_UP);
        if (from != null) {
            from.abort();
        }
        listener.ended(ExchangeEndings.CANCELLED);
    }
}
