package dev.komainu.organizer.front;

import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.message.BodyReader;
import dev.komainu.intermediary.message.Fields;
import dev.komainu.intermediary.message.MessageFault;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.organizer.line.StreamAcceptor;
import dev.komainu.organizer.line.StreamEnd;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection: HTTP/1.1 and 1.0, one exchange after the other; what comes behind waits.
 * It turns each request into a head and a stream, as a line would, and what it hears back into
 * text. After a CONNECT or an Upgrade that was granted it carries bytes. On its loop.
 *
 * <pre>
 * HEAD → BODY → AWAITING the answer's end → HEAD … | TUNNEL | CLOSING: what still comes is thrown away
 * </pre>
 */
final class Http1ServerHandler extends ChannelInboundHandlerAdapter
        implements ClientConnections.ClientConnection {

    private enum Place {
        HEAD,
        BODY,
        AWAITING,
        TUNNEL,
        CLOSING
    }

    private final ClientConnections clients;
    private final FrontCounts counts;
    private final StreamAcceptor requests;
    private final Channel channel;
    private final RequestHead head;
    private final BodyReader body = new BodyReader();
    private final DeadlineList.Entry deadline = new DeadlineList.Entry() {
        @Override
        protected void expired() {
            timeUp();
        }
    };
    private Place place = Place.HEAD;
    private @Nullable ByteBuf pending;
    private @Nullable ClientExchange answer;
    private boolean headBegun;
    private boolean reading;
    private boolean proceeding;
    private boolean inputEnded;
    private boolean flushDue;
    private boolean lastOne;
    private @Nullable String client;

    /**
     * Waits for a first request.
     *
     * @param scratch the loop's, to read heads with
     * @param requests takes each request
     */
    Http1ServerHandler(
            ClientConnections clients,
            RequestHead scratch,
            FrontCounts counts,
            StreamAcceptor requests,
            Channel channel) {
        this.clients = clients;
        this.counts = counts;
        this.requests = requests;
        this.channel = channel;
        this.head = scratch;
        counts.count(FrontCounts.Kind.CONNECTIONS);
        clients.waitsIdle(deadline);
        clients.opened(this);
    }

    @Override
    public boolean isBusy() {
        return headBegun || answer != null;
    }

    @Override
    public void drain() {
        if (isBusy()) {
            lastOne = true;
        } else {
            close();
        }
    }

    // The client's bytes.

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        ByteBuf before = pending;
        if (before != null) {
            pending = null;
            in = ctx.alloc().compositeBuffer(16).addComponents(true, before, in);
        }
        reading = true;
        proceed(in);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        reading = false;
        if (flushDue) {
            flushDue = false;
            channel.flush();
        }
    }

    /** Takes over the buffer; what cannot be used yet is pending. */
    private void proceed(ByteBuf in) {
        boolean more = true;
        proceeding = true;
        while (more && in.isReadable()) {
            more = switch (place) {
                case HEAD -> readHead(in);
                case BODY -> readBody(in);
                case AWAITING -> false;
                case TUNNEL -> tunnel(in);
                case CLOSING -> {
                    in.skipBytes(in.readableBytes());
                    yield false;
                }
            };
        }
        proceeding = false;
        if (in.isReadable() && channel.isActive()) {
            pending = compact(in);
        } else {
            in.release();
        }
        if (place == Place.AWAITING && pending != null) {
            channel.config().setAutoRead(false);
        }
    }

    /** What waits for long must not hold a whole receive buffer each, nor a chain of many. */
    private ByteBuf compact(ByteBuf in) {
        if (place == Place.AWAITING) {
            return in;
        }
        ByteBuf copy = channel.alloc().directBuffer(Math.max(1024, in.readableBytes()));
        copy.writeBytes(in);
        in.release();
        return copy;
    }

    /** Goes on with what is pending, from outside of {@link #channelRead}. */
    private void goOn() {
        ByteBuf waits = pending;
        if (proceeding) {
            return;
        }
        if (waits != null) {
            pending = null;
            proceed(waits);
        }
        ClientExchange now = answer;
        if ((pending == null || place != Place.AWAITING) && (now == null || !now.isBraked())) {
            channel.config().setAutoRead(true);
        }
        if (inputEnded && place == Place.HEAD) {
            close();
        }
    }

    private boolean readHead(ByteBuf in) {
        head.setReceivedOver(false, false);
        switch (head.read(in)) {
            case INCOMPLETE -> {
                if (!headBegun) {
                    // From the first byte on, however many follow.
                    headBegun = true;
                    clients.waitsHead(deadline);
                }
                return false;
            }
            case FAULT -> {
                refuse(head.fault());
                return true;
            }
            case COMPLETE -> in.skipBytes(head.length());
        }
        headBegun = false;
        DeadlineList.remove(deadline);
        ClientRequest asked = ClientRequest.of(head, client());
        ClientExchange made =
                new ClientExchange(this, channel, head, asked, head.keepAlive() && !lastOne);
        answer = made;
        if (asked.isTunnel()) {
            // The first bytes may come before the answer; they wait here.
            place = Place.AWAITING;
        } else if (head.hasBody()) {
            place = Place.BODY;
            if (head.isChunked()) {
                body.beginChunked();
            } else {
                body.beginLength(head.contentLength());
            }
            clients.waitsBody(deadline);
        } else {
            made.saidNothing();
            place = Place.AWAITING;
        }
        made.heardBy(
                requests.take(asked.head(), made.requestIsDone(), made, ForwardedExchange.HERE));
        return true;
    }

    private @Nullable String client() {
        if (client == null && channel.remoteAddress() instanceof InetSocketAddress remote) {
            client = remote.getAddress().getHostAddress();
        }
        return client;
    }

    private boolean readBody(ByteBuf in) {
        ClientExchange now = answer;
        if (now == null) {
            return false;
        }
        BodyReader.Outcome outcome = body.read(in, slice -> now.said(slice.retainedSlice()));
        if (place != Place.BODY) {
            return true; // its answer was broken off meanwhile
        }
        switch (outcome) {
            case FAULT -> {
                if (now.hasBegun()) {
                    counts.count(FrontCounts.Kind.MALFORMED);
                    breakOff();
                } else {
                    refuse(body.fault());
                }
                return true;
            }
            case DONE -> {
                DeadlineList.remove(deadline);
                place = Place.AWAITING;
                Fields trailers = body.trailers();
                if (trailers == null) {
                    now.saidLast();
                } else {
                    now.saidLast(HeadConversion.of(trailers));
                }
                return place != Place.AWAITING;
            }
            case MORE -> {
                clients.waitsBody(deadline);
                brake(now);
                return false;
            }
        }
        return false;
    }

    private boolean tunnel(ByteBuf in) {
        ClientExchange now = answer;
        if (now == null) {
            return false;
        }
        now.said(in.readRetainedSlice(in.readableBytes()));
        brake(now);
        return false;
    }

    private void brake(ClientExchange now) {
        if (now.isBraked()) {
            channel.config().setAutoRead(false);
            DeadlineList.remove(deadline);
        }
    }

    // What its answer tells.

    /** Whether no further request is taken. */
    boolean isLast() {
        return lastOne;
    }

    void takesNoFurther() {
        lastOne = true;
    }

    boolean isTunnel() {
        return place == Place.TUNNEL;
    }

    /** What was asked for was granted: from here on, bytes. */
    void enterTunnel(ClientExchange by) {
        place = Place.TUNNEL;
        // Not from within the call that tells it.
        channel.eventLoop().execute(() -> {
            if (by.isOver()) {
                return;
            }
            goOn();
            if (inputEnded && !by.requestIsDone()) {
                by.saidLast();
            }
        });
    }

    /** All was said to the client; of a tunnel, it is told so. */
    void endTunnelsHalf(ClientExchange by) {
        if (place == Place.TUNNEL) {
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
                if (channel.isActive() && channel instanceof DuplexChannel duplex && !by.isOver()) {
                    duplex.shutdownOutput();
                }
            });
        }
    }

    /** Whether both sides said everything: then the next request is due. */
    void settle() {
        ClientExchange now = answer;
        if (now == null || !now.isSaid()) {
            return;
        }
        if (place == Place.TUNNEL) {
            if (now.requestIsDone()) {
                finish(now, ExchangeEndings.COMPLETE);
                close();
            }
        } else if (!now.requestIsDone()) {
            // The rest of its body is for nobody.
            finish(now, ExchangeEndings.CANCELLED);
            closeFlushed();
        } else {
            finish(now, ExchangeEndings.COMPLETE);
            if (lastOne) {
                closeFlushed();
            } else {
                place = Place.HEAD;
                clients.waitsIdle(deadline);
                goOn();
            }
        }
    }

    private void finish(ClientExchange now, StreamEnd how) {
        answer = null;
        DeadlineList.remove(deadline);
        now.end(how);
    }

    /** What it heard went on: it may say more. */
    void readAgain() {
        if (place == Place.BODY) {
            clients.waitsBody(deadline);
        }
        channel.config().setAutoRead(true);
    }

    /** The answer broke off. */
    void broken() {
        answer = null;
        breakOff();
    }

    // How a connection ends.

    private void refuse(MessageFault fault) {
        counts.count(FrontCounts.Kind.MALFORMED);
        ClientExchange now = answer;
        answer = null;
        if (now != null) {
            now.end(ExchangeEndings.GONE);
        }
        String text = fault.status() + " " + fault.reason() + " (" + fault.section() + ")\n";
        ByteBuf out = channel.alloc().directBuffer(256);
        ByteBufUtil.writeAscii(
                out,
                "HTTP/1.1 " + fault.status()
                        + " Refused\r\nconnection: close\r\ncontent-type: text/plain\r\ncontent-length: "
                        + text.length() + "\r\n\r\n" + text);
        channel.write(out, channel.voidPromise());
        closeFlushed();
    }

    /**
     * What was written goes out; what still comes is thrown away, so that no reset overtakes the
     * answer (RFC 9112 section 9.6).
     */
    private void closeFlushed() {
        place = Place.CLOSING;
        clients.waitsHead(deadline);
        channel.config().setAutoRead(true);
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> {
            if (inputEnded || !(channel instanceof DuplexChannel duplex) || !channel.isActive()) {
                channel.close();
            } else {
                duplex.shutdownOutput();
            }
        });
    }

    private void close() {
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> channel.close());
    }

    /** Whoever hears half of an answer must not take it for the whole. */
    private void breakOff() {
        if (channel.isActive()) {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
        }
        channel.close();
    }

    private void timeUp() {
        if (place != Place.CLOSING) {
            counts.count(FrontCounts.Kind.TIMEOUTS);
        }
        if (answer == null) {
            channel.close();
        } else {
            breakOff();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (!(event instanceof ChannelInputShutdownEvent)) {
            return;
        }
        inputEnded = true;
        ClientExchange now = answer;
        switch (place) {
            case HEAD, CLOSING -> close();
            case BODY -> breakOff();
            case AWAITING -> lastOne = true;
            case TUNNEL -> {
                if (now != null) {
                    now.saidLast();
                }
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        clients.closed(this);
        DeadlineList.remove(deadline);
        place = Place.CLOSING;
        ByteBuf waits = pending;
        if (waits != null) {
            pending = null;
            waits.release();
        }
        ClientExchange now = answer;
        answer = null;
        if (now != null) {
            now.end(ExchangeEndings.GONE);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // Also of what could not be written: an answer may be said to its end here, and not sent.
        breakOff();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        ClientExchange now = answer;
        if (now == null) {
            return;
        }
        if (channel.isWritable()) {
            if (place != Place.BODY) {
                DeadlineList.remove(deadline);
            }
            now.hasRoom();
        } else if (place != Place.BODY) {
            // It takes nothing: not for ever.
            clients.waitsIdle(deadline);
        }
    }

    /** What was written leaves with the rest of this turn. */
    void flushLater() {
        if (!flushDue) {
            flushDue = true;
            if (!reading) {
                channel.eventLoop().execute(() -> {
                    if (flushDue) {
                        flushDue = false;
                        channel.flush();
                    }
                });
            }
        }
    }
}
