package dev.komainu.organizer.front;

import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamEvents;
import dev.komainu.organizer.line.TunnelTaker;
import dev.komainu.organizer.line.WebSocketHandshake;
import dev.komainu.proxy.connection.DeadlineList;
import dev.komainu.proxy.http.BodyReader;
import dev.komainu.proxy.http.Field;
import dev.komainu.proxy.http.Fields;
import dev.komainu.proxy.http.MessageFault;
import dev.komainu.proxy.http.RequestHead;
import dev.komainu.proxy.http.Tokens;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection: HTTP/1.1 and 1.0, one exchange after the other; what comes behind waits. It turns each request into a head and a stream,
 * as a line would, and what it hears back into text. After a CONNECT or an Upgrade that was granted it carries bytes. On its loop.
 *
 * <pre>HEAD → BODY → AWAITING the answer's end → HEAD … | TUNNEL | CLOSING: what still comes is thrown away</pre>
 */
final class Door extends ChannelInboundHandlerAdapter {

    private enum Place {
        HEAD,
        BODY,
        AWAITING,
        TUNNEL,
        CLOSING
    }

    /** Given out and not taken yet: then the client is not read. */
    private static final int MOST_UNTAKEN = 128 << 10;

    private static final AsciiString FORWARDED_FOR = AsciiString.cached("x-forwarded-for");

    private final FrontLoop at;
    private final Channel channel;
    private final RequestHead head;
    private final BodyReader body = new BodyReader();
    private final DeadlineList.Waiting deadline = new DeadlineList.Waiting() {
        @Override
        protected void expired() {
            timeUp();
        }
    };
    private Place place = Place.HEAD;
    private @Nullable ByteBuf pending;
    private @Nullable Answer answer;
    private boolean headBegun;
    private boolean reading;
    private boolean proceeding;
    private boolean inputEnded;
    private boolean flushDue;
    private boolean lastOne;
    private @Nullable String client;

    Door(FrontLoop at, Channel channel) {
        this.at = at;
        this.channel = channel;
        this.head = at.head();
        at.counts().count(FrontCounts.Kind.CONNECTIONS);
        at.waitsIdle(deadline);
        at.entered(this);
    }

    /** Whether a request of it is being read or answered. */
    boolean isBusy() {
        return headBegun || answer != null;
    }

    /** No further request is taken: who is idle goes, who is not goes behind the answer. */
    void drain() {
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
        Answer now = answer;
        if ((pending == null || place != Place.AWAITING) && (now == null || now.untaken <= MOST_UNTAKEN)) {
            channel.config().setAutoRead(true);
        }
        if (inputEnded && place == Place.HEAD) {
            close();
        }
    }

    private boolean readHead(ByteBuf in) {
        head.cameBy(false, false);
        switch (head.read(in)) {
            case INCOMPLETE -> {
                if (!headBegun) {
                    // From the first byte on, however many follow.
                    headBegun = true;
                    at.waitsHead(deadline);
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
        boolean upgrades = isWebSocket(head);
        boolean connects = head.methodIs("CONNECT");
        Answer made = new Answer(head, connects, upgrades);
        answer = made;
        Http2Headers asked = Heads.of(head);
        tellClient(asked);
        if (connects || upgrades) {
            asked.method("CONNECT");
            asked.add(Heads.PROTOCOL, connects ? TunnelTaker.TCP : WebSocketHandshake.WEBSOCKET);
            if (connects) {
                asked.path("/");
            } else {
                asked.remove("sec-websocket-key");
            }
            // The first bytes may come before the answer; they wait here.
            place = Place.AWAITING;
        } else if (head.hasBody()) {
            place = Place.BODY;
            if (head.isChunked()) {
                body.beginChunked();
            } else {
                body.beginLength(head.contentLength());
            }
            at.waitsBody(deadline);
        } else {
            made.requestDone = true;
            place = Place.AWAITING;
        }
        StreamEvents hears = Passage.take(at, asked, made.requestDone, made, false);
        made.hears = hears;
        if (made.over) {
            hears.ended(Ends.CANCELLED);
        } else {
            made.settle();
        }
        return true;
    }

    /** Servers behind see an organizer's connection only; as web servers in front of others tell it, behind what came. */
    private void tellClient(Http2Headers asked) {
        if (client == null && channel.remoteAddress() instanceof InetSocketAddress remote) {
            client = remote.getAddress().getHostAddress();
        }
        String by = client;
        if (by != null) {
            String before = head.fields().joined(Field.X_FORWARDED_FOR);
            asked.set(FORWARDED_FOR, before == null ? by : before + ", " + by);
        }
    }

    private static boolean isWebSocket(RequestHead head) {
        Fields fields = head.fields();
        String upgrade = fields.joined(Field.UPGRADE);
        return upgrade != null
                && upgrade.strip().equalsIgnoreCase("websocket")
                && head.methodIs("GET")
                && head.minorVersion() > 0
                && !head.hasBody()
                && Tokens.contains(String.valueOf(fields.joined(Field.CONNECTION)), "upgrade")
                && fields.joined("sec-websocket-key") != null;
    }

    private boolean readBody(ByteBuf in) {
        Answer now = answer;
        if (now == null) {
            return false;
        }
        BodyReader.Outcome outcome = body.read(in, slice -> {
            now.untaken += slice.readableBytes();
            now.hears.data(slice.retainedSlice(), false);
        });
        if (place != Place.BODY) {
            return true; // its answer was broken off meanwhile
        }
        switch (outcome) {
            case FAULT -> {
                if (now.begun) {
                    at.counts().count(FrontCounts.Kind.MALFORMED);
                    breakOff();
                } else {
                    refuse(body.fault());
                }
                return true;
            }
            case DONE -> {
                DeadlineList.remove(deadline);
                place = Place.AWAITING;
                now.requestDone = true;
                Fields trailers = body.trailers();
                if (trailers == null) {
                    now.hears.data(Unpooled.EMPTY_BUFFER, true);
                } else {
                    now.hears.trailers(Heads.of(trailers));
                }
                now.settle();
                return place != Place.AWAITING;
            }
            case MORE -> {
                at.waitsBody(deadline);
                now.brake();
                return false;
            }
        }
        return false;
    }

    private boolean tunnel(ByteBuf in) {
        Answer now = answer;
        if (now == null) {
            return false;
        }
        int count = in.readableBytes();
        now.untaken += count;
        now.hears.data(in.readRetainedSlice(count), false);
        now.brake();
        return false;
    }

    // How a connection ends.

    private void refuse(MessageFault fault) {
        at.counts().count(FrontCounts.Kind.MALFORMED);
        Answer now = answer;
        answer = null;
        if (now != null) {
            now.abandon(Ends.GONE);
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

    /** What was written goes out; what still comes is thrown away, so that no reset overtakes the answer (RFC 9112 section 9.6). */
    private void closeFlushed() {
        place = Place.CLOSING;
        at.waitsHead(deadline);
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
            at.counts().count(FrontCounts.Kind.TIMEOUTS);
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
        Answer now = answer;
        switch (place) {
            case HEAD, CLOSING -> close();
            case BODY -> breakOff();
            case AWAITING -> lastOne = true;
            case TUNNEL -> {
                if (now != null) {
                    now.requestDone = true;
                    now.hears.data(Unpooled.EMPTY_BUFFER, true);
                    now.settle();
                }
            }
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        at.left(this);
        DeadlineList.remove(deadline);
        place = Place.CLOSING;
        ByteBuf waits = pending;
        if (waits != null) {
            pending = null;
            waits.release();
        }
        Answer now = answer;
        answer = null;
        if (now != null) {
            now.abandon(Ends.GONE);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // Also of what could not be written: an answer may be said to its end here, and not sent.
        breakOff();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        Answer now = answer;
        if (now == null) {
            return;
        }
        if (channel.isWritable()) {
            if (place != Place.BODY) {
                DeadlineList.remove(deadline);
            }
            now.hears.writable();
        } else if (place != Place.BODY) {
            // It takes nothing: not for ever.
            at.waitsIdle(deadline);
        }
    }

    private void flushLater() {
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

    /** The answer to one request, as it is told by whoever answers. */
    private final class Answer implements LineStream {

        private final AnswerText text;
        private final boolean wantsTunnel;
        private final boolean keeps;
        private StreamEvents hears = StreamEvents.NOBODY;
        private boolean requestDone;
        private boolean begun;
        private boolean done;
        private boolean over;
        private int untaken;

        Answer(RequestHead asked, boolean connects, boolean upgrades) {
            this.text = new AnswerText(channel.alloc(), asked, upgrades, this::write);
            this.wantsTunnel = connects || upgrades;
            this.keeps = asked.keepAlive() && !lastOne;
        }

        @Override
        public EventLoop loop() {
            return channel.eventLoop();
        }

        @Override
        public void head(Http2Headers fields, boolean ends) {
            if (over || begun) {
                return;
            }
            int status = Heads.status(fields);
            if (status < 200) {
                text.interim(fields);
                return;
            }
            begun = true;
            if (wantsTunnel && status < 300 && !ends) {
                text.tunnel(fields);
                enterTunnel();
                return;
            }
            lastOne |= text.head(fields, ends, lastOne || !keeps || !requestDone && ends || wantsTunnel);
            if (ends) {
                saidAll();
            }
        }

        private void enterTunnel() {
            place = Place.TUNNEL;
            // Not from within the call that tells it.
            loop().execute(() -> {
                if (over) {
                    return;
                }
                goOn();
                if (inputEnded && !requestDone) {
                    requestDone = true;
                    hears.data(Unpooled.EMPTY_BUFFER, true);
                    settle();
                }
            });
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
            flushLater();
        }

        private void saidAll() {
            done = true;
            if (place == Place.TUNNEL) {
                channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> {
                    if (channel.isActive() && channel instanceof DuplexChannel duplex && !over) {
                        duplex.shutdownOutput();
                    }
                });
            }
            settle();
        }

        /** Whether both sides said everything: then the next request is due. */
        void settle() {
            if (over || !done || answer != this || hears == StreamEvents.NOBODY) {
                return;
            }
            if (place == Place.TUNNEL) {
                if (requestDone) {
                    finish(Ends.COMPLETE);
                    close();
                }
            } else if (!requestDone) {
                // The rest of its body is for nobody.
                finish(Ends.CANCELLED);
                closeFlushed();
            } else {
                finish(Ends.COMPLETE);
                if (lastOne) {
                    closeFlushed();
                } else {
                    place = Place.HEAD;
                    at.waitsIdle(deadline);
                    goOn();
                }
            }
        }

        private void finish(StreamEnd how) {
            over = true;
            answer = null;
            DeadlineList.remove(deadline);
            hears.ended(how);
        }

        void abandon(StreamEnd how) {
            if (!over) {
                over = true;
                hears.ended(how);
            }
        }

        @Override
        public boolean isWritable() {
            return !over && !done && channel.isWritable();
        }

        void brake() {
            if (untaken > MOST_UNTAKEN) {
                channel.config().setAutoRead(false);
                DeadlineList.remove(deadline);
            }
        }

        @Override
        public void consumed(int bytes) {
            boolean braked = untaken > MOST_UNTAKEN;
            untaken -= bytes;
            if (braked && untaken <= MOST_UNTAKEN && !over) {
                if (place == Place.BODY) {
                    at.waitsBody(deadline);
                }
                channel.config().setAutoRead(true);
            }
        }

        @Override
        public void reset(Http2Error why) {
            if (over || done && place != Place.TUNNEL) {
                // The answer is whole; what its asker still says is nobody's business any more.
                return;
            }
            answer = null;
            over = true;
            breakOff();
            hears.ended(Ends.CANCELLED);
        }
    }
}
