package dev.komainu.organizer.front;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;

/**
 * One exchange of a client connection: it passes the request body to a {@link StreamListener} and
 * writes the response to the client. {@link Http1ServerHandler} orders the exchanges of the
 * connection. Used on its event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close is reported to the handlers
final class ClientExchange implements LineStream {

    /**
     * Request bytes that were passed on and not yet consumed. Above this limit the client is not
     * read.
     */
    private static final int MAX_UNCONSUMED = 128 << 10;

    private final Http1ServerHandler handler;
    private final Channel channel;
    private final Http1ResponseEncoder encoder;
    private final boolean opensTunnel;
    private final boolean keepAlive;
    private StreamListener listener = StreamListener.NOBODY;
    private boolean requestDone;
    private boolean headSent;
    private boolean responseDone;
    private boolean ended;
    private int unconsumed;

    /**
     * Creates an exchange for one request.
     *
     * @param keepAlive whether another request may follow
     */
    ClientExchange(
            Http1ServerHandler handler,
            Channel channel,
            RequestHead requestHead,
            ClientRequest request,
            boolean keepAlive) {
        this.handler = handler;
        this.channel = channel;
        this.encoder = new Http1ResponseEncoder(
                channel.alloc(), requestHead, request.upgrades(), this::write);
        this.opensTunnel = request.isTunnel();
        this.keepAlive = keepAlive;
    }

    // The request.

    /** Sets the receiver of the request. The response may have ended before this call. */
    void setListener(StreamListener receiver) {
        listener = receiver;
        if (ended) {
            receiver.ended(ExchangeEndings.CANCELLED);
        } else {
            handler.settle();
        }
    }

    /** Passes on the next bytes of the request. */
    void requestData(ByteBuf bytes) {
        unconsumed += bytes.readableBytes();
        listener.data(bytes, false);
    }

    /** Marks the request as complete: it has no body. */
    void requestHasNoBody() {
        requestDone = true;
    }

    /** Passes on the end of the request, or of the client's half of a tunnel. */
    void requestEnd() {
        requestDone = true;
        listener.data(Unpooled.EMPTY_BUFFER, true);
        handler.settle();
    }

    /** Passes on the trailers, which end the request. */
    void requestEnd(Http2Headers trailers) {
        requestDone = true;
        listener.trailers(trailers);
        handler.settle();
    }

    /** Reports whether the request is complete. */
    boolean isRequestDone() {
        return requestDone;
    }

    /** Reports whether so many bytes are unconsumed that the client must not be read. */
    boolean isPaused() {
        return unconsumed > MAX_UNCONSUMED;
    }

    /** Reports to the receiver of the request that the client's channel is writable again. */
    void clientWritable() {
        listener.writable();
    }

    // The end of the exchange.

    /** Reports whether a final response head was written to the client. */
    boolean isHeadSent() {
        return headSent;
    }

    /**
     * Reports whether the response is complete and a receiver waits for the end of the exchange.
     */
    boolean isResponseDone() {
        return responseDone && !ended && listener != StreamListener.NOBODY;
    }

    boolean isEnded() {
        return ended;
    }

    /** Ends the exchange and notifies the receiver of the request. */
    void end(StreamEnd end) {
        if (!ended) {
            ended = true;
            listener.ended(end);
        }
    }

    // The response.

    @Override
    public EventLoop loop() {
        return channel.eventLoop();
    }

    @Override
    public void head(Http2Headers fields, boolean ends) {
        if (ended || headSent) {
            return;
        }
        int status = HeadConversion.status(fields);
        if (status < 200) {
            encoder.interim(fields);
            return;
        }
        headSent = true;
        if (opensTunnel && status < 300 && !ends) {
            encoder.tunnel(fields);
            handler.enterTunnel(this);
            return;
        }
        boolean isLast = handler.isLast() || !keepAlive || (!requestDone && ends) || opensTunnel;
        if (encoder.head(fields, ends, isLast)) {
            handler.acceptNoMore();
        }
        if (ends) {
            finishResponse();
        }
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        if (ended || responseDone) {
            bytes.release();
            return;
        }
        encoder.data(bytes, ends);
        if (ends) {
            finishResponse();
        }
    }

    @Override
    public void trailers(Http2Headers fields) {
        if (ended || responseDone) {
            return;
        }
        encoder.trailers(fields);
        finishResponse();
    }

    private void write(ByteBuf bytes) {
        channel.write(bytes, channel.voidPromise());
        handler.flushLater();
    }

    private void finishResponse() {
        responseDone = true;
        handler.closeTunnelOutput(this);
        handler.settle();
    }

    @Override
    public boolean isWritable() {
        return !ended && !responseDone && channel.isWritable();
    }

    @Override
    public void consumed(int bytes) {
        boolean wasPaused = isPaused();
        unconsumed -= bytes;
        if (wasPaused && !isPaused() && !ended) {
            handler.resumeReading();
        }
    }

    @Override
    public void reset(Http2Error error) {
        if (ended || (responseDone && !handler.isTunnel())) {
            // The response is complete: the peer may stop reading the request without breaking the
            // exchange.
            return;
        }
        ended = true;
        handler.responseBroken();
        listener.ended(ExchangeEndings.CANCELLED);
    }
}
