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
 * One QUIC connection of a line (RFC 9000), at either end. An exchange is one bidirectional stream
 * ({@link QuicStream}): a lost packet delays only the streams whose bytes it carried.
 *
 * <p>The line has flow control windows of its own ({@link QuicControlStream}), like HTTP/2's. QUIC
 * opens the windows of a stream and of the connection by the same act, reading. A slow reader would
 * therefore delay all other streams, or its bytes would be stored without limit. Here all received
 * bytes are read at once, and {@link LineSettings#heldBytes} limits them as on TCP.
 *
 * <p>At most {@value #MOST_PENDING} bytes, and {@value SendScheduler#RESERVED} of control, are in
 * Netty and not in QUIC yet. So a small or urgent stream waits behind few bytes. Owned by its event
 * loop.
 */
// A failed write or close ends the connection; its close event and channelInactive report that.
@SuppressWarnings("FutureReturnValueIgnored")
public final class QuicConnection extends ChannelInboundHandlerAdapter implements LineConnection {

    static final int MOST_PENDING = 64 << 10;

    /** Maximum of resets that are stored for streams whose heads have not come yet. */
    private static final int MOST_EARLY = 1_000;

    /** Time that a stream waits for its promise. */
    private static final int PROMISE_SECONDS = 10;

    private static final int FIRST_WINDOW = UnreadBytes.THRIFTY_WINDOW;
    private static final int NO_ERROR = 0;
    /** Bits of a stream's number for its initiator and its directions. */
    private static final long STREAM_TYPE = 3;

    private static final long SERVER_BIDIRECTIONAL = 1;

    private final Owner owner;
    private final LineSettings settings;
    private final boolean server;
    private final SendScheduler<QuicSendQueue> scheduler = new SendScheduler<>();
    private final LongObjectMap<QuicStream> streams = new LongObjectHashMap<>();
    private final PushPromises promises = new PushPromises();
    private final Set<Long> earlyResets = new HashSet<>();
    private final QuicHeads heads = new QuicHeads();
    private final UnreadBytes unread;
    private final PingSchedule pingSchedule;
    private final LineConnectionState state = new LineConnectionState();
    private @Nullable QuicChannel channel;
    private @Nullable QuicStreamChannel controlStream;
    private boolean sendIsDue;
    private long peerWindow = FIRST_WINDOW;
    private long peerMostStreams = Integer.MAX_VALUE;
    private long received;
    private long sent;
    private int pendingBytes;
    private long packetsReceived;
    private long reportedSent;
    private long peerSent;
    private long peerLost;
    /** Highest number of a stream on which the peer sent a request. */
    private long newestRequest = -1;

    /** Creates a connection, which starts when its channel is active. */
    public QuicConnection(Owner owner, LineSettings settings, boolean server) {
        this.owner = owner;
        this.settings = settings;
        this.unread = new UnreadBytes(settings);
        this.server = server;
        this.pingSchedule = new PingSchedule(settings, "message");
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        channel = (QuicChannel) ctx.channel();
        if (ctx.channel().isActive()) {
            start();
        }
    }

    /** Starts when both sides are authenticated. */
    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        start();
        ctx.fireChannelActive();
    }

    private void start() {
        if (!pingSchedule.start(loop(), this::tick)) {
            return;
        }
        channel()
                .createStream(QuicStreamType.UNIDIRECTIONAL, new ChannelInboundHandlerAdapter())
                .addListener((Future<QuicStreamChannel> created) -> {
                    if (created.isSuccess()) {
                        QuicStreamChannel stream = created.getNow();
                        controlStream = stream;
                        stream.updatePriority(new QuicStreamPriority(0, true));
                        sendMessage(
                                QuicControlStream.HELLO,
                                settings.maxStreams(),
                                settings.streamWindowBytes());
                    } else {
                        fail("no control stream: " + created.cause().getMessage());
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

    boolean isActive() {
        return !state.isOver() && channel().isActive();
    }

    // Outgoing streams.

    @Override
    public boolean isOverdue() {
        return pingSchedule.monitor().isOverdue(System.nanoTime());
    }

    @Override
    public boolean hasRoom(int spare) {
        return state.acceptsStreams()
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
            state.markDraining();
            return null;
        }
        streams.put(stream.id(), stream);
        stream.setRank(SendPriority.of(head));
        stream.head(head, ends);
        return stream;
    }

    /**
     * Opens a stream for a response that the peer did not request.
     *
     * @return null when that is not possible
     */
    @Nullable
    QuicStream promise(long bytes, SendingListener events, int rank) {
        if (state.isOver() || state.isDraining() || !promises.hasRoom(bytes)) {
            return null;
        }
        QuicStream stream = new QuicStream(this, StreamListener.NOBODY);
        if (!channel().createStream(QuicStreamType.BIDIRECTIONAL, stream).isSuccess()) {
            return null;
        }
        stream.listener(promises.reserve(bytes, events));
        stream.markInputEnded();
        streams.put(stream.id(), stream);
        stream.setRank(rank);
        return stream;
    }

    /**
     * Returns the stream that the peer promised, which may not have come yet.
     *
     * @throws IllegalArgumentException when it is not a stream that a server opens (RFC 9000
     *     section 2.1)
     */
    QuicStream expected(long id) {
        if ((id & STREAM_TYPE) != SERVER_BIDIRECTIONAL) {
            throw new IllegalArgumentException("A promise of stream " + id
                    + " (expected: a bidirectional stream of the server)");
        }
        QuicStream known = streams.get(id);
        if (known == null) {
            known = QuicStream.awaited(this, id);
            streams.put(id, known);
        }
        return known;
    }

    ByteBuf encode(long id, Http2Headers fields) throws Http2Exception {
        return heads.frame(id, fields);
    }

    /**
     * Encodes a promise.
     *
     * @param promised the number of the stream of the response
     */
    ByteBuf encodePromise(long promised, Http2Headers fields) throws Http2Exception {
        return heads.promise(promised, fields);
    }

    Http2Headers decode(long id, ByteBuf block) throws Http2Exception {
        return heads.read(id, block);
    }

    SendScheduler<QuicSendQueue> scheduler() {
        return scheduler;
    }

    long peerWindow() {
        return peerWindow;
    }

    void sendLater() {
        if (!sendIsDue && !state.isOver()) {
            sendIsDue = true;
            loop().execute(() -> {
                sendIsDue = false;
                send();
            });
        }
    }

    private void send() {
        while (!state.isOver() && !scheduler.isEmpty()) {
            int queue = scheduler.next();
            int room = MOST_PENDING
                    - pendingBytes
                    + (SendScheduler.isControl(queue) ? SendScheduler.RESERVED : 0);
            if (room <= 0) {
                return; // continues when QUIC has accepted some bytes
            }
            scheduler.countTurn();
            scheduler.poll(queue).turn(Math.min(SendScheduler.FRAME, room));
        }
    }

    ChannelFuture write(QuicStreamChannel to, QuicStreamFrame frame) {
        int bytes = frame.content().readableBytes();
        pendingBytes += bytes;
        ChannelFuture written = to.writeAndFlush(frame);
        written.addListener(done -> {
            pendingBytes -= bytes;
            if (!scheduler.isEmpty()) {
                sendLater();
            }
        });
        return written;
    }

    void sent(int bytes) {
        sent += bytes;
    }

    void sendMessage(int kind, long one, long two) {
        QuicStreamChannel known = controlStream;
        if (known != null && !state.isOver()) {
            known.writeAndFlush(QuicControlStream.message(LineBuffers.ALLOCATOR, kind, one, two));
        }
    }

    // Unread bytes.

    void received(int bytes) {
        received += bytes;
    }

    void addUnread(int bytes) {
        countUnread(bytes);
    }

    void removeUnread(long bytes) {
        countUnread(-bytes);
    }

    int ownWindow() {
        return unread.window();
    }

    private void countUnread(long more) {
        if (unread.add(more) && !state.isOver()) {
            sendMessage(QuicControlStream.WINDOW, 0, ownWindow());
            if (unread.isThrifty()) {
                // Bytes that were consumed and not reported yet may be more than a small window.
                streams.values().forEach(QuicStream::sendCredit);
            }
        }
    }

    // Incoming streams and messages.

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof QuicStreamChannel created) {
            if (created.type() == QuicStreamType.UNIDIRECTIONAL) {
                created.pipeline().addLast(new ControlStreamReader());
            } else {
                created.pipeline()
                        .addLast(
                                server
                                        ? acceptRequestStream(created.streamId())
                                        : acceptPromisedStream(created.streamId()));
            }
        }
        ctx.fireChannelRead(message);
    }

    private QuicStream acceptRequestStream(long id) {
        QuicStream stream = new QuicStream(this, StreamListener.NOBODY);
        streams.put(id, stream);
        return stream;
    }

    /** Accepts a stream that the server opened: its promise came, was refused, or is under way. */
    private QuicStream acceptPromisedStream(long id) {
        QuicStream stream = expected(id);
        if (stream.isOver()) {
            streams.remove(id);
        } else if (!stream.isPromised()) {
            // The stream beside which it was promised may have been reset.
            loop().schedule(stream::refuseUnpromised, PROMISE_SECONDS, TimeUnit.SECONDS);
        }
        return stream;
    }

    /** Reader of the peer's control stream. */
    private final class ControlStreamReader extends ChannelInboundHandlerAdapter {

        private final QuicControlStream messages = new QuicControlStream();

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            try {
                messages.read(bytes, QuicConnection.this::onMessage);
            } finally {
                bytes.release();
            }
        }
    }

    private void onMessage(int kind, long one, long two) {
        switch (kind) {
            case QuicControlStream.HELLO -> {
                peerMostStreams = one;
                window(two);
                if (state.markReady()) {
                    owner.ready(this);
                }
            }
            case QuicControlStream.WINDOW -> window(two);
            case QuicControlStream.CREDIT -> {
                QuicStream stream = streams.get(one);
                if (stream != null) {
                    stream.addCredit(two);
                }
            }
            case QuicControlStream.RESET -> {
                QuicStream stream = streams.get(one);
                if (stream != null) {
                    stream.peerStoppedReading(two);
                } else if (server
                        && earlyResets.size() < MOST_EARLY
                        && one > newestRequest
                        && one % 2 == 0) {
                    earlyResets.add(one);
                }
            }
            case QuicControlStream.PING -> sendMessage(QuicControlStream.PONG, one, 0);
            case QuicControlStream.PONG -> pingSchedule.monitor().answered(one, System.nanoTime());
            case QuicControlStream.GOAWAY -> goAway();
            case QuicControlStream.LOSS -> {
                peerSent = one;
                peerLost = two;
            }
            default -> {
                // A kind of a later version.
            }
        }
    }

    private void window(long bytes) {
        boolean more = bytes > peerWindow;
        peerWindow = bytes;
        if (more) {
            streams.values().forEach(QuicStream::windowOpened);
        }
    }

    /** Handles a request's head. */
    void requested(QuicStream stream, Http2Headers head, boolean ends) {
        newestRequest = Math.max(newestRequest, stream.id());
        if (state.isDraining() || streams.size() > settings.maxStreams()) {
            stream.reset(Http2Error.REFUSED_STREAM);
            return;
        }
        if (earlyResets.remove(stream.id())) {
            stream.reset(Http2Error.CANCEL);
            return;
        }
        stream.setRank(SendPriority.of(head));
        try {
            stream.listener(owner.requested(this, head, ends, stream));
        } catch (RuntimeException e) {
            stream.reset(Http2Error.INTERNAL_ERROR);
        }
    }

    void remove(QuicStream stream) {
        streams.remove(stream.id());
    }

    void closed() {
        if (!state.isOver()) {
            owner.streamClosed(this);
            closeIfDone();
        }
    }

    // Liveness.

    private void tick() {
        if (state.isOver()) {
            return;
        }
        long packets = QuicPath.packetsReceived(channel());
        if (packets != packetsReceived) {
            packetsReceived = packets;
            pingSchedule.monitor().received(System.nanoTime());
        }
        TransportFigures path = QuicPath.figures(channel(), settings);
        if (path.sentBytes() - reportedSent >= TransportFigures.REPORT_STEP_BYTES) {
            reportedSent = path.sentBytes();
            sendMessage(QuicControlStream.LOSS, path.sentBytes(), path.retransmittedBytes());
        }
        pingSchedule.tick(
                state.isReady(), data -> sendMessage(QuicControlStream.PING, data, 0), this::fail);
    }

    @Override
    public ConnectionFigures figures() {
        return new ConnectionFigures(
                state.acceptsStreams(),
                streams(),
                sent,
                received,
                unread.bytes(),
                pingSchedule.monitor().rttMicros(),
                pingSchedule.monitor().leastRttMicros(),
                peerSent,
                peerLost,
                LineCarrier.QUIC,
                state.isOver() ? TransportFigures.NONE : QuicPath.figures(channel(), settings));
    }

    @Override
    public boolean offersQuic() {
        return true;
    }

    // The end.

    @Override
    public void drain() {
        state.closesWhenDone();
        if (!state.isOver() && state.markDraining()) {
            sendMessage(QuicControlStream.GOAWAY, 0, 0);
            closeIfDone();
        }
    }

    private void goAway() {
        if (state.markDraining()) {
            state.why("the peer sent GOAWAY");
            owner.draining(this);
        }
        state.closesWhenDone();
        closeIfDone();
    }

    /**
     * Closes a draining connection without streams. The client has received all responses, and
     * closes. The server cannot know which bytes have arrived, and a closed QUIC connection
     * retransmits nothing: it waits for the client to close.
     */
    private void closeIfDone() {
        if (!state.shouldClose() || !streams.isEmpty()) {
            return;
        }
        if (server) {
            long trips =
                    TimeUnit.MICROSECONDS.toNanos(4 * pingSchedule.monitor().rttMicros());
            loop().schedule(
                            this::closeIfIdle,
                            Math.max(TimeUnit.SECONDS.toNanos(1), trips),
                            TimeUnit.NANOSECONDS);
        } else {
            loop().execute(this::closeIfIdle);
        }
    }

    private void closeIfIdle() {
        if (streams.isEmpty() && !state.isOver()) {
            channel().close(true, NO_ERROR, Unpooled.EMPTY_BUFFER);
        }
    }

    @Override
    public void close(StreamEnd how) {
        if (!state.isOver()) {
            state.end(how);
            channel().close(true, NO_ERROR, Unpooled.EMPTY_BUFFER);
        }
    }

    private void fail(String reason) {
        if (!state.isOver()) {
            state.why(reason);
            channel().close(true, NO_ERROR, Unpooled.EMPTY_BUFFER);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof QuicConnectionCloseEvent closeEvent) {
            state.why(
                    closeEvent.isTlsError()
                            ? "TLS: refused by the peer (" + closeEvent + ")"
                            : state.why() + " (" + closeEvent + ")");
        }
        ctx.fireUserEventTriggered(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (!state.markOver()) {
            return;
        }
        StreamEnd all = state.endOrLost();
        pingSchedule.stop();
        List<QuicStream> left = new ArrayList<>(streams.values());
        left.forEach(stream -> stream.abandon(all));
        owner.gone(this, state.why());
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        state.why(String.valueOf(cause.getMessage()));
    }
}
