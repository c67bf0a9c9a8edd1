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
 * One exchange of a client's connection: the answer, as it is told by whoever answers, and how far
 * the request has gone on. Its {@link Http1ServerHandler} knows what comes before and behind it. On
 * its loop.
 */
final class ClientExchange implements LineStream {

    /** Given out and not taken yet: then the client is not read. */
    private static final int MOST_UNTAKEN = 128 << 10;

    private final Http1ServerHandler door;
    private final Channel channel;
    private final Http1ResponseEncoder text;
    private final boolean wantsTunnel;
    private final boolean keeps;
    private StreamListener hears = StreamListener.NOBODY;
    private boolean requestDone;
    private boolean begun;
    private boolean done;
    private boolean over;
    private int untaken;

    /** @param keeps whether another request may follow */
    ClientExchange(
            Http1ServerHandler door,
            Channel channel,
            RequestHead asked,
            ClientRequest request,
            boolean keeps) {
        this.door = door;
        this.channel = channel;
        this.text =
                new Http1ResponseEncoder(channel.alloc(), asked, request.upgrades(), this::write);
        this.wantsTunnel = request.isTunnel();
        this.keeps = keeps;
    }

    // What the client says.

    /** Somebody hears the request: who may have answered already. */
    void heardBy(StreamListener taker) {
        hears = taker;
        if (over) {
            taker.ended(ExchangeEndings.CANCELLED);
        } else {
            door.settle();
        }
    }

    /** The next bytes of the request. */
    void said(ByteBuf bytes) {
        untaken += bytes.readableBytes();
        hears.data(bytes, false);
    }

    /** It had no body. */
    void saidNothing() {
        requestDone = true;
    }

    /** The request, or the tunnel's half, is over. */
    void saidLast() {
        requestDone = true;
        hears.data(Unpooled.EMPTY_BUFFER, true);
        door.settle();
    }

    /** The same, with fields behind it. */
    void saidLast(Http2Headers trailers) {
        requestDone = true;
        hears.trailers(trailers);
        door.settle();
    }

    /** Whether the request is over. */
    boolean requestIsDone() {
        return requestDone;
    }

    /** Whether so much waits that the client should not be read. */
    boolean isBraked() {
        return untaken > MOST_UNTAKEN;
    }

    /** The client has room. */
    void hasRoom() {
        hears.writable();
    }

    // How it ends.

    /** Whether the client was told a final head. */
    boolean hasBegun() {
        return begun;
    }

    /** Whether all of the answer was said, and somebody hears that the exchange is over. */
    boolean isSaid() {
        return done && !over && hears != StreamListener.NOBODY;
    }

    boolean isOver() {
        return over;
    }

    /** It is over, and whoever answers is told how. */
    void end(StreamEnd how) {
        if (!over) {
            over = true;
            hears.ended(how);
        }
    }

    // What whoever answers says.

    @Override
    public EventLoop loop() {
        return channel.eventLoop();
    }

    @Override
    public void head(Http2Headers fields, boolean ends) {
        if (over || begun) {
            return;
        }
        int status = HeadConversion.status(fields);
        if (status < 200) {
            text.interim(fields);
            return;
        }
        begun = true;
        if (wantsTunnel && status < 300 && !ends) {
            text.tunnel(fields);
            door.enterTunnel(this);
            return;
        }
        boolean isLast = door.isLast() || !keeps || !requestDone && ends || wantsTunnel;
        if (text.head(fields, ends, isLast)) {
            door.takesNoFurther();
        }
        if (ends) {
            saidAll();
        }
    }

    @Override
    public void data(ByteBuf bytes, boolean ends) {
        if (over || done) {
            bytes.release();
            return;
        }
        text.data(bytes, ends);
        if (ends) {
            saidAll();
        }
    }

    @Override
    public void trailers(Http2Headers fields) {
        if (over || done) {
            return;
        }
        text.trailers(fields);
        saidAll();
    }

    private void write(ByteBuf bytes) {
        channel.write(bytes, channel.voidPromise());
        door.flushLater();
    }

    private void saidAll() {
        done = true;
        door.endTunnelsHalf(this);
        door.settle();
    }

    @Override
    public boolean isWritable() {
        return !over && !done && channel.isWritable();
    }

    @Override
    public void consumed(int bytes) {
        boolean braked = isBraked();
        untaken -= bytes;
        if (braked && !isBraked() && !over) {
            door.readAgain();
        }
    }

    @Override
    public void reset(Http2Error why) {
        if (over || done && !door.isTunnel()) {
            // The answer is whole; what its asker still says is nobody's business any more.
            return;
        }
        over = true;
        door.broken();
        hears.ended(ExchangeEndings.CANCELLED);
    }
}
