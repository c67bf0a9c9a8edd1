package dev.komainu.organizer.line.quic;

import dev.komainu.organizer.line.ConnectionFigures;
import dev.komainu.organizer.line.LineBuffers;
import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.SendingListener;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.TransportFigures;
import dev.komainu.organizer.line.connection.LineConnection;
import dev.komainu.organizer.line.connection.LineConnectionState;
import dev.komainu.organizer.line.connection.PingSchedule;
import dev.komainu.organizer.line.connection.PushPromises;
import dev.komainu.organizer.line.connection.SendPriority;
import dev.komainu.organizer.line.connection.SendScheduler;
import dev.komainu.organizer.line.connection.UnreadBytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.quic.QuicChannel;
import io.netty.handler.codec.quic.QuicConnectionCloseEvent;
import io.netty.handler.codec.quic.QuicStreamChannel;
import io.netty.handler.codec.quic.QuicStreamFrame;
import io.netty.handler.codec.quic.QuicStreamPriority;
import io.netty.handler.codec.quic.QuicStreamType;
import io.netty.util.collection.LongObjectHashMap;
import io.netty.util.collection.LongObjectMap;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One QUIC connection of a line (RFC 9000), at either end. An exchange is a bidirectional stream of
 * it ({@link QuicStream}): a lost packet holds up only the streams whose bytes it carried.
 *
 * <p>Who is slow is told by windows of the line's own ({@link QuicControlStream}), as HTTP/2's are:
 * QUIC opens the windows of a stream and of the connection by the same act, reading, so that
 * readers who take nothing would stop everybody else, or be held without bound. Here all that comes
 * is read at once, and {@link LineSettings#heldBytes} bounds it as on TCP.
 *
 * <p>At most {@value #GIVEN} bytes, and {@value SendScheduler#RESERVED} of control, are with Netty
 * and not with QUIC yet: behind so little whoever is small or urgent waits. Owned by its event
 * loop.
 */
public final class QuicConnection extends ChannelInboundHandlerAdapter implements LineConnection {

    static final int GIVEN = 64 << 10;

    /** Resets of streams whose heads have not come yet; more are forgotten. */
    private static final int MOST_EARLY = 1_000;

    /** How long a stream may be here before its promise. */
    private static final int PROMISE_SECONDS = 10;

    private static final int FIRST_WINDOW = UnreadBytes.THRIFTY_WINDOW;
    private static final int AN_END = 0;
    /** Of a stream's number: who opened it, and in which directions it goes. */
    private static final long KIND = 3;

    private static final long OF_ANSWERER = 1;

    private final Owner owner;
    private final LineSettings settings;
    private final boolean server;
    private final SendScheduler<QuicSendQueue> turns = new SendScheduler<>();
    private final LongObjectMap<QuicStream> streams = new LongObjectHashMap<>();
    private final PushPromises promises = new PushPromises();
    private final Set<Long> unheardEarly = new HashSet<>();
    private final QuicHeads heads = new QuicHeads();
    private final UnreadBytes held;
    private final PingSchedule heartbeat;
    private final LineConnectionState standing = new LineConnectionState();
    private @Nullable QuicChannel channel;
    private @Nullable QuicStreamChannel aside;
    private boolean sendIsDue;
    private long peerWindow = FIRST_WINDOW;
    private long peerMostStreams = Integer.MAX_VALUE;
    private long received;
    private long sent;
    private int given;
    private long packetsHeard;
    private long toldSent;
    private long peerSent;
    private long peerLost;
    /** Of the streams the peer has asked on. */
    private long newest = -1;

    public QuicConnection(Owner owner, LineSettings settings, boolean server) {
        this.owner = owner;
        this.settings = settings;
        this.held = new UnreadBytes(settings);
        this.server = server;
        this.heartbeat = new PingSchedule(settings, "word");
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        channel = (QuicChannel) ctx.channel();
        if (ctx.channel().isActive()) {
            begin();
        }
    }

    /** Both sides have shown who they are. */
    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        begin();
        ctx.fireChannelActive();
    }

    private void begin() {
        if (!heartbeat.begin(loop(), this::beat)) {
            return;
        }
        channel()
                .createStream(QuicStreamType.UNIDIRECTIONAL, new ChannelInboundHandlerAdapter())
                .addListener((Future<QuicStreamChannel> made) -> {
                    if (made.isSuccess()) {
                        QuicStreamChannel stream = made.getNow();
                        aside = stream;
                        stream.updatePriority(new QuicStreamPriority(0, true));
                        say(
                                QuicControlStream.HELLO,
                                settings.maxStreams(),
                                settings.streamWindowBytes());
                    } else {
                        lose("no stream for messages: " + made.cause().getMessage());
                    }
                });
    }

    private QuicChannel channel() {
        QuicChannel known = channel;
        if (known == null) {
            throw new IllegalStateException("Not in a pipeline yet");
        }
        return known;
    }

    @Override
    public EventLoop loop() {
        return channel().eventLoop();
    }

    boolean isServer() {
        return server;
    }

    boolean isThere() {
        return !standing.isOver() && channel().isActive();
    }

    // Streams out.

    @Override
    public boolean isOverdue() {
        return heartbeat.pulse().isOverdue(System.nanoTime());
    }

    @Override
    public boolean hasRoom(int spare) {
        return standing.takesStreams()
                && streams.size() + spare < Math.min(settings.maxStreams(), peerMostStreams);
    }

    @Override
    public int streams() {
        return streams.size();
    }

    @Override
    public @Nullable LineStream open(Http2Headers head, boolean ends, StreamListener events) {
        QuicStream stream = new QuicStream(this, events);
        if (!channel().createStream(QuicStreamType.BIDIRECTIONAL, stream).isSuccess()) {
            standing.drains();
            return null;
        }
        streams.put(stream.id(), stream);
        stream.ranks(SendPriority.of(head));
        stream.head(head, ends);
        return stream;
    }

    /** Opens a stream for an answer that nobody asked for. @return null when that cannot be */
    @Nullable
    QuicStream promise(long bytes, SendingListener events, int rank) {
        if (standing.isOver() || standing.isDraining() || !promises.hasRoom(bytes)) {
            return null;
        }
        QuicStream stream = new QuicStream(this, StreamListener.NOBODY);
        if (!channel().createStream(QuicStreamType.BIDIRECTIONAL, stream).isSuccess()) {
            return null;
        }
        stream.listener(promises.place(bytes, events));
        stream.heardFromTheStart();
        streams.put(stream.id(), stream);
        stream.ranks(rank);
        return stream;
    }

    /**
     * The stream that the peer promised, here or to come.
     *
     * @throws IllegalArgumentException it is none that the end that answers opens (RFC 9000 section
     *     2.1)
     */
    QuicStream expected(long id) {
        if ((id & KIND) != OF_ANSWERER) {
            throw new IllegalArgumentException("A promise of stream " + id
                    + " (expected: a bidirectional one of the end that answers)");
        }
        QuicStream known = streams.get(id);
        if (known == null) {
            known = QuicStream.toCome(this, id);
            streams.put(id, known);
        }
        return known;
    }

    ByteBuf encode(long id, Http2Headers fields) throws Http2Exception {
        return heads.frame(id, fields);
    }

    /** @param promised the stream that will answer */
    ByteBuf encodePromise(long promised, Http2Headers fields) throws Http2Exception {
        return heads.promise(promised, fields);
    }

    Http2Headers decode(long id, ByteBuf block) throws Http2Exception {
        return heads.read(id, block);
    }

    SendScheduler<QuicSendQueue> turns() {
        return turns;
    }

    long peerWindow() {
        return peerWindow;
    }

    void sendLater() {
        if (!sendIsDue && !standing.isOver()) {
            sendIsDue = true;
            loop().execute(() -> {
                sendIsDue = false;
                send();
            });
        }
    }

    private void send() {
        while (!standing.isOver() && !turns.isEmpty()) {
            int place = turns.next();
            int room =
                    GIVEN - given + (SendScheduler.isControl(place) ? SendScheduler.RESERVED : 0);
            if (room <= 0) {
                return; // when some are with QUIC it goes on
            }
            turns.used();
            turns.poll(place).turn(Math.min(SendScheduler.FRAME, room));
        }
    }

    ChannelFuture write(QuicStreamChannel to, QuicStreamFrame frame) {
        int bytes = frame.content().readableBytes();
        given += bytes;
        ChannelFuture written = to.writeAndFlush(frame);
        written.addListener(done -> {
            given -= bytes;
            if (!turns.isEmpty()) {
                sendLater();
            }
        });
        return written;
    }

    void sent(int bytes) {
        sent += bytes;
    }

    void say(int kind, long one, long two) {
        QuicStreamChannel known = aside;
        if (known != null && !standing.isOver()) {
            known.writeAndFlush(QuicControlStream.message(LineBuffers.ALLOCATOR, kind, one, two));
        }
    }

    // What is held.

    void received(int bytes) {
        received += bytes;
    }

    void holds(int bytes) {
        weigh(bytes);
    }

    void forget(long bytes) {
        weigh(-bytes);
    }

    int ownWindow() {
        return held.window();
    }

    private void weigh(long more) {
        if (held.grew(more) && !standing.isOver()) {
            say(QuicControlStream.WINDOW, 0, ownWindow());
            if (held.isThrifty()) {
                // What was taken and not told yet may be more than a small window.
                streams.values().forEach(QuicStream::giveCredit);
            }
        }
    }

    // Streams and messages in.

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof QuicStreamChannel made) {
            if (made.type() == QuicStreamType.UNIDIRECTIONAL) {
                made.pipeline().addLast(new Hearing());
            } else {
                made.pipeline()
                        .addLast(server ? askedOne(made.streamId()) : promisedOne(made.streamId()));
            }
        }
        ctx.fireChannelRead(message);
    }

    private QuicStream askedOne(long id) {
        QuicStream stream = new QuicStream(this, StreamListener.NOBODY);
        streams.put(id, stream);
        return stream;
    }

    /**
     * A stream that the end that answers opened: its promise came, was refused, or is on its way.
     */
    private QuicStream promisedOne(long id) {
        QuicStream stream = expected(id);
        if (stream.isOver()) {
            streams.remove(id);
        } else if (!stream.isPromised()) {
            // The stream beside which it was promised may have been given up.
            loop().schedule(stream::refuseUnpromised, PROMISE_SECONDS, TimeUnit.SECONDS);
        }
        return stream;
    }

    /** The peer's messages beside the streams. */
    private final class Hearing extends ChannelInboundHandlerAdapter {

        private final QuicControlStream messages = new QuicControlStream();

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            try {
                messages.read(bytes, QuicConnection.this::said);
            } finally {
                bytes.release();
            }
        }
    }

    private void said(int kind, long one, long two) {
        switch (kind) {
            case QuicControlStream.HELLO -> {
                peerMostStreams = one;
                window(two);
                if (standing.becomesReady()) {
                    owner.ready(this);
                }
            }
            case QuicControlStream.WINDOW -> window(two);
            case QuicControlStream.CREDIT -> {
                QuicStream stream = streams.get(one);
                if (stream != null) {
                    stream.grant(two);
                }
            }
            case QuicControlStream.RESET -> {
                QuicStream stream = streams.get(one);
                if (stream != null) {
                    stream.unheard(two);
                } else if (server
                        && unheardEarly.size() < MOST_EARLY
                        && one > newest
                        && one % 2 == 0) {
                    unheardEarly.add(one);
                }
            }
            case QuicControlStream.PING -> say(QuicControlStream.PONG, one, 0);
            case QuicControlStream.PONG -> heartbeat.pulse().answered(one, System.nanoTime());
            case QuicControlStream.GOAWAY -> goAway();
            case QuicControlStream.LOSS -> {
                peerSent = one;
                peerLost = two;
            }
            default -> {
                // Of a later version.
            }
        }
    }

    private void window(long bytes) {
        boolean more = bytes > peerWindow;
        peerWindow = bytes;
        if (more) {
            streams.values().forEach(QuicStream::maySend);
        }
    }

    /** A request's head came. */
    void asked(QuicStream stream, Http2Headers head, boolean ends) {
        newest = Math.max(newest, stream.id());
        if (standing.isDraining() || streams.size() > settings.maxStreams()) {
            stream.reset(Http2Error.REFUSED_STREAM);
            return;
        }
        if (unheardEarly.remove(stream.id())) {
            stream.reset(Http2Error.CANCEL);
            return;
        }
        stream.ranks(SendPriority.of(head));
        try {
            stream.listener(owner.asked(this, head, ends, stream));
        } catch (RuntimeException e) {
            stream.reset(Http2Error.INTERNAL_ERROR);
        }
    }

    void forget(QuicStream stream) {
        streams.remove(stream.id());
    }

    void closed() {
        if (!standing.isOver()) {
            owner.streamClosed(this);
            closeIfDone();
        }
    }

    // Its pulse.

    private void beat() {
        if (standing.isOver()) {
            return;
        }
        long packets = QuicPath.packetsHeard(channel());
        if (packets != packetsHeard) {
            packetsHeard = packets;
            heartbeat.pulse().heard(System.nanoTime());
        }
        TransportFigures path = QuicPath.figures(channel(), settings);
        if (path.sentBytes() - toldSent >= TransportFigures.WORTH_TELLING) {
            toldSent = path.sentBytes();
            say(QuicControlStream.LOSS, path.sentBytes(), path.retransmittedBytes());
        }
        heartbeat.beat(
                standing.isReady(), data -> say(QuicControlStream.PING, data, 0), this::lose);
    }

    @Override
    public ConnectionFigures figures() {
        return new ConnectionFigures(
                standing.takesStreams(),
                streams(),
                sent,
                received,
                held.bytes(),
                heartbeat.pulse().rttMicros(),
                heartbeat.pulse().leastRttMicros(),
                peerSent,
                peerLost,
                LineCarrier.QUIC,
                standing.isOver() ? TransportFigures.NONE : QuicPath.figures(channel(), settings));
    }

    @Override
    public boolean offersQuic() {
        return true;
    }

    // How it ends.

    @Override
    public void drain() {
        standing.closesWhenDone();
        if (!standing.isOver() && standing.drains()) {
            say(QuicControlStream.GOAWAY, 0, 0);
            closeIfDone();
        }
    }

    private void goAway() {
        if (standing.drains()) {
            standing.why("the peer said GOAWAY");
            owner.draining(this);
        }
        standing.closesWhenDone();
        closeIfDone();
    }

    /**
     * The end that asks has heard all it asked for, and closes. The end that answers cannot know
     * what has arrived, and QUIC sends nothing again once it is closed: it waits for the other to
     * close.
     */
    private void closeIfDone() {
        if (!standing.isToClose() || !streams.isEmpty()) {
            return;
        }
        if (server) {
            long trips = TimeUnit.MICROSECONDS.toNanos(4 * heartbeat.pulse().rttMicros());
            loop().schedule(
                            this::closeIfIdle,
                            Math.max(TimeUnit.SECONDS.toNanos(1), trips),
                            TimeUnit.NANOSECONDS);
        } else {
            loop().execute(this::closeIfIdle);
        }
    }

    private void closeIfIdle() {
        if (streams.isEmpty() && !standing.isOver()) {
            channel().close(true, AN_END, Unpooled.EMPTY_BUFFER);
        }
    }

    @Override
    public void close(StreamEnd how) {
        if (!standing.isOver()) {
            standing.end(how);
            channel().close(true, AN_END, Unpooled.EMPTY_BUFFER);
        }
    }

    private void lose(String reason) {
        if (!standing.isOver()) {
            standing.why(reason);
            channel().close(true, AN_END, Unpooled.EMPTY_BUFFER);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof QuicConnectionCloseEvent told) {
            standing.why(
                    told.isTlsError()
                            ? "TLS: refused by the peer (" + told + ")"
                            : standing.why() + " (" + told + ")");
        }
        ctx.fireUserEventTriggered(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (!standing.ends()) {
            return;
        }
        StreamEnd all = standing.endOfAll();
        heartbeat.stop();
        List<QuicStream> left = new ArrayList<>(streams.values());
        left.forEach(stream -> stream.abandon(all));
        owner.gone(this, standing.why());
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        standing.why(String.valueOf(cause.getMessage()));
    }
}
