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
 * A request and its answer where heads are fields, and every message says itself where it ends (RFC
 * 9113 section 8.1): a stream of HTTP/2, or of a line between two members.
 *
 * <p>An answer's fields wait for the first byte of its body or for its end, so that an answer
 * without a body is one frame.
 */
abstract class FramedStream implements ClientStream {

    final LoopContext worker;
    final ExchangeAccounting ledger;
    final Exchange exchange;

    @Nullable
    FetchedResponse delivery;
    /** They leave behind the last byte of the body. */
    @Nullable
    Http2Headers trailers;

    @Nullable
    Http2ResponseFields unsentHead;
    /** The answer was said, whole. */
    boolean ended;
    /** Nothing said is heard any more. */
    boolean closed;

    private boolean headWritten;

    FramedStream(LoopContext worker, InetSocketAddress peer) {
        this.worker = worker;
        this.ledger = new ExchangeAccounting(worker, peer, true);
        this.exchange = new Exchange(worker, this);
    }

    /** Fields leave. @param ends nothing follows them */
    abstract void send(Http2ResponseFields head, boolean ends);

    /** Bytes of the body, which are taken over, leave as the client takes them. */
    abstract void send(ByteBuf bytes);

    /** Something was said in this turn of the loop. */
    abstract void noteUnflushed();

    /** The answer is written, whole. */
    abstract void end();

    @Override
    public final void write(ByteBuf bytes) {
        ledger.sent(bytes.readableBytes());
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
    public final ExchangeAccounting ledger() {
        return ledger;
    }

    @Override
    public void delivering(FetchedResponse by, RequestHead head) {
        delivery = by;
    }

    @Override
    public final void delivered(boolean keep) {
        delivery = null;
        end();
        flushLater();
    }

    @Override
    public final void lookAgain(RequestHead head, long startNanos) {
        delivery = null;
        exchange.again(head, startNanos);
        flushLater();
    }

    @Override
    public final void lookAgain(RequestHead head, long startNanos, StoredResponse restored) {
        delivery = null;
        exchange.again(head, startNanos, restored);
        flushLater();
    }

    @Override
    public final void own(
            RequestHead head, int status, String message, CacheOutcome outcome, long startNanos) {
        page(head, status, message, outcome, null, startNanos);
    }

    @Override
    public final void failed(
            RequestHead head, OriginFailure failure, long startNanos, UpstreamInfo asked) {
        delivery = null;
        page(head, failure.status(), failure.message(), CacheOutcome.ERROR, asked, startNanos);
        flushLater();
    }

    private void page(
            RequestHead head,
            int status,
            String message,
            CacheOutcome outcome,
            @Nullable UpstreamInfo asked,
            long startNanos) {
        responding(startNanos);
        error(head, status, message);
        ledger.count(head, status, outcome, asked, startNanos);
        end();
    }

    /** Writes a short page of the proxy's own. */
    void error(RequestHead head, int status, String message) {
        ByteBuf out = buffer(512 + message.getBytes(StandardCharsets.UTF_8).length);
        worker.answers.own(out, status, message, head.methodIs("HEAD"), true, 1);
        write(out);
    }
}
