package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.OriginFailure;
import dev.komainu.intermediary.upstream.UpstreamInfo;
import dev.komainu.proxy.cache.StoredResponse;
import dev.komainu.proxy.fetch.TrailerFields;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http2.Http2Headers;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A request and its response on a stream where heads are fields and every message marks its own end
 * (RFC 9113 section 8.1): a stream of HTTP/2, or of a line between two members.
 *
 * <p>A response's fields wait for the first byte of its body or for its end, so that a response
 * without a body is one frame.
 */
abstract class FramedStream implements ClientStream {

    final LoopContext context;
    final ExchangeAccounting accounting;
    final Exchange exchange;

    @Nullable
    FetchedResponse delivery;
    /** The trailers; sent behind the last byte of the body. */
    @Nullable
    Http2Headers trailers;

    @Nullable
    Http2ResponseFields unsentHead;
    /** Whether the whole response was written. */
    boolean ended;
    /** Whether the stream is closed; further output is dropped. */
    boolean closed;

    private boolean headWritten;

    FramedStream(LoopContext context, InetSocketAddress peer) {
        this.context = context;
        this.accounting = new ExchangeAccounting(context, peer, true);
        this.exchange = new Exchange(context, this);
    }

    /**
     * Sends fields.
     *
     * @param ends whether nothing follows them
     */
    abstract void send(Http2ResponseFields head, boolean ends);

    /** Sends body bytes as the client accepts them. Takes ownership of the buffer. */
    abstract void send(ByteBuf bytes);

    /** Marks the stream for the flush of this turn of the loop. */
    abstract void noteUnflushed();

    /** Ends the response after it was written. */
    abstract void end();

    @Override
    public final void write(ByteBuf bytes) {
        accounting.sent(bytes.readableBytes());
        if (closed || ended) {
            bytes.release();
            return;
        }
        if (!headWritten) {
            Http2ResponseFields head = Http2ResponseFields.read(bytes);
            if (head.informational()) {
                send(head, false);
            } else {
                headWritten = true;
                unsentHead = head;
            }
        }
        if (bytes.isReadable()) {
            sendHead(false);
            send(bytes);
        } else {
            bytes.release();
        }
        noteUnflushed();
    }

    final void sendHead(boolean ends) {
        Http2ResponseFields head = unsentHead;
        if (head != null && !closed) {
            unsentHead = null;
            send(head, ends);
        }
    }

    @Override
    public final boolean takesTrailers(RequestHead head) {
        return TrailerFields.areAccepted(head);
    }

    @Override
    public final void trailers(byte[] lines) {
        trailers = Http2ResponseFields.trailers(lines);
    }

    @Override
    public final boolean wantsChunks(RequestHead head) {
        return false;
    }

    @Override
    public final boolean endsBodies(RequestHead head) {
        return true;
    }

    @Override
    public final ExchangeAccounting accounting() {
        return accounting;
    }

    @Override
    public void startDelivery(FetchedResponse response, RequestHead head) {
        delivery = response;
    }

    @Override
    public final void endDelivery(boolean keep) {
        delivery = null;
        end();
        flushLater();
    }

    @Override
    public final void retry(RequestHead head, long startNanos) {
        delivery = null;
        exchange.retry(head, startNanos);
        flushLater();
    }

    @Override
    public final void retry(RequestHead head, long startNanos, StoredResponse restored) {
        delivery = null;
        exchange.retry(head, startNanos, restored);
        flushLater();
    }

    @Override
    public final void respond(
            RequestHead head, int status, String message, CacheOutcome outcome, long startNanos) {
        page(head, status, message, outcome, null, startNanos);
    }

    @Override
    public final void failed(
            RequestHead head, OriginFailure failure, long startNanos, UpstreamInfo upstream) {
        delivery = null;
        page(head, failure.status(), failure.message(), CacheOutcome.ERROR, upstream, startNanos);
        flushLater();
    }

    private void page(
            RequestHead head,
            int status,
            String message,
            CacheOutcome outcome,
            @Nullable UpstreamInfo upstream,
            long startNanos) {
        responding(startNanos);
        error(head, status, message);
        accounting.count(head, status, outcome, upstream, startNanos);
        end();
    }

    /** Writes a short page of the proxy's own. */
    void error(RequestHead head, int status, String message) {
        ByteBuf out = buffer(512 + message.getBytes(StandardCharsets.UTF_8).length);
        context.headWriter.message(out, status, message, head.methodIs("HEAD"), true, 1);
        write(out);
    }
}
