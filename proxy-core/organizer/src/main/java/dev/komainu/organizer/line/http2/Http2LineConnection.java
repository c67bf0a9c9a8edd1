package dev.komainu.organizer.line.http2;

import dev.komainu.organizer.line.ConnectionFigures;
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
import dev.komainu.organizer.line.connection.UnreadBytes;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.DefaultHttp2LocalFlowController;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameAdapter;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One TCP connection of a line, at either end, with HTTP/2. It passes received frames to
 * {@link Http2LineStream}s, and sends the streams' bytes in the order of
 * {@link SrptByteDistributor}.
 *
 * <p>The connection's window is opened again as bytes come, for every stream: a slow reader fills
 * its own stream's window and delays no other stream. Another limit bounds the unread bytes: when
 * they exceed half of {@link LineSettings#heldBytes}, all streams' windows shrink to
 * {@value UnreadBytes#THRIFTY_WINDOW} bytes (SETTINGS_INITIAL_WINDOW_SIZE changes open streams too,
 * RFC 9113 section 6.9.2) until the unread bytes are down to an eighth. The maximum is: that half,
 * the bytes under way, and a small window for each stream.
 *
 * <p>Owned by its event loop.
 */
// A failed write closes the stream or the connection; the codec's events report that.
@SuppressWarnings("FutureReturnValueIgnored")
public final class Http2LineConnection extends Http2ConnectionHandler implements LineConnection {

    private final Owner owner;
    private final LineSettings settings;
    private final SrptByteDistributor order;
    private final DefaultHttp2LocalFlowController windows;
    private final Http2Connection.PropertyKey key;
    private final PingSchedule pingSchedule;
    private final LineConnectionState state = new LineConnectionState();
    private final PushPromises promises = new PushPromises();
    private final UnreadBytes unread;
    private final PeerSettings peer = new PeerSettings();
    private @Nullable ChannelHandlerContext ctx;
    private boolean reading;
    private boolean flushIsDue;
    private long received;
    private long sent;
    private final boolean reportsLoss;
    /** Absent: settings name the congestion control. */
    private final @Nullable CongestionChoice congestion;
    /** Absent: TCP has selective acknowledgements, or does not report them. */
    private @Nullable AdaptiveReceiveWindow receiveWindow;

    private Http2LineConnection(
            Owner owner, LineSettings settings, LineCodec codec, boolean reportsLoss) {
        super(codec.decoder(), codec.encoder(), codec.initialSettings(), true);
        this.owner = owner;
        this.settings = settings;
        this.unread = new UnreadBytes(settings);
        this.order = codec.order();
        this.windows = codec.windows();
        this.reportsLoss = reportsLoss;
        this.key = connection().newKey();
        this.pingSchedule = new PingSchedule(settings, "HTTP/2");
        this.congestion =
                settings.choosesCongestion() ? new CongestionChoice(System.nanoTime()) : null;
        codec.decoder().frameListener(new Frames());
        connection().addListener(new Http2ConnectionAdapter() {
            @Override
            public void onStreamClosed(Http2Stream stream) {
                closed(stream);
            }

            @Override
            public void onStreamRemoved(Http2Stream stream) {
                // A promise that ends before its head was never active: no event has reported its
                // end.
                Http2LineStream known = of(stream);
                if (known != null) {
                    known.over(endOf(stream, known));
                }
            }
        });
    }

    /**
     * Creates a connection.
     *
     * @param offersQuic whether this end also accepts QUIC
     */
    public static Http2LineConnection make(
            boolean server, LineSettings settings, Owner owner, boolean offersQuic) {
        return new Http2LineConnection(
                owner, settings, LineCodec.of(server, settings, offersQuic), offersQuic);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) throws Exception {
        ctx = context;
        super.handlerAdded(context);
        if (TcpSocket.lacksSack(context.channel())) {
            receiveWindow =
                    new AdaptiveReceiveWindow(settings.connectionWindowBytes(), System.nanoTime());
            windows.windowUpdateRatio(
                    connection().connectionStream(), AdaptiveReceiveWindow.UPDATE_RATIO);
        } else {
            widen(settings.connectionWindowBytes() - Http2CodecUtil.DEFAULT_WINDOW_SIZE);
        }
        context.flush();
        pingSchedule.start(context.channel().eventLoop(), this::tick);
    }

    /**
     * Widens the connection's window.
     *
     * @param more negative: the peer gets less until its window is so much smaller
     */
    private void widen(int more) throws Http2Exception {
        if (more != 0) {
            windows.incrementWindowSize(connection().connectionStream(), more);
        }
    }

    Channel channel() {
        return context().channel();
    }

    @Override
    public EventLoop loop() {
        return channel().eventLoop();
    }

    private ChannelHandlerContext context() {
        ChannelHandlerContext known = ctx;
        if (known == null) {
            throw new IllegalStateException("Not in a pipeline yet");
        }
        return known;
    }

    // Outgoing streams.

    @Override
    public boolean isOverdue() {
        return pingSchedule.monitor().isOverdue(System.nanoTime());
    }

    @Override
    public boolean hasRoom(int spare) {
        return state.acceptsStreams()
                && connection().local().numActiveStreams() + spare
                        < Math.min(settings.maxStreams(), connection().local().maxActiveStreams());
    }

    @Override
    public int streams() {
        return connection().numActiveStreams();
    }

    @Override
    public @Nullable LineStream open(Http2Headers head, boolean ends, StreamListener events) {
        int id = connection().local().incrementAndGetNextStreamId();
        if (id < 0) { // all numbers are used up (RFC 9113 section 5.1.1)
            state.markDraining();
            return null;
        }
        encoder().writeHeaders(context(), id, head, 0, ends, context().newPromise());
        Http2Stream stream = connection().stream(id);
        if (stream == null) {
            state.markDraining();
            return null;
        }
        Http2LineStream created = new Http2LineStream(this, stream, events);
        stream.setProperty(key, created);
        if (ends) {
            created.markOutputEnded();
        }
        order.setLength(stream, SendPriority.of(head), SendPriority.length(head));
        flushLater();
        return created;
    }

    /**
     * Promises a response beside a stream's own.
     *
     * @return null when that is not possible
     */
    @Nullable
    Http2LineStream promise(
            Http2Stream beside, Http2Headers head, long bytes, SendingListener events, int rank) {
        if (state.isOver()
                || state.isDraining()
                || !connection().remote().allowPushTo()
                || !promises.hasRoom(bytes)) {
            return null;
        }
        int id = connection().local().incrementAndGetNextStreamId();
        if (id < 0) {
            return null;
        }
        encoder()
                .writePushPromise(context(), beside.id(), id, head, 0, context().newPromise());
        Http2Stream stream = connection().stream(id);
        if (stream == null) {
            return null;
        }
        // Netty expects the mark on the promised stream. The reset of a stream without the mark is
        // not sent.
        stream.pushPromiseSent();
        Http2LineStream created =
                new Http2LineStream(this, stream, promises.reserve(bytes, events));
        created.setRank(rank);
        created.markInputEnded();
        stream.setProperty(key, created);
        flushLater();
        return created;
    }

    // Calls of the streams.

    void writeHead(Http2Stream stream, Http2Headers head, boolean ends, int rank) {
        order.setLength(stream, rank, SendPriority.length(head));
        encoder().writeHeaders(context(), stream.id(), head, 0, ends, context().newPromise());
        flushLater();
    }

    void setRank(Http2Stream stream, int rank) {
        order.setRank(stream, rank);
    }

    void writeData(Http2LineStream from, Http2Stream stream, ByteBuf bytes, boolean ends) {
        int count = bytes.readableBytes();
        encoder()
                .writeData(context(), stream.id(), bytes, 0, ends, context().newPromise())
                .addListener(done -> {
                    if (done.isSuccess()) {
                        sent += count;
                    }
                    from.written(count);
                });
        flushLater();
    }

    void reset(Http2Stream stream, Http2Error code) {
        resetStream(context(), stream.id(), code.code(), context().newPromise());
        flushLater();
    }

    void addUnread(int bytes) {
        countUnread(bytes);
    }

    void removeUnread(long bytes) {
        countUnread(-bytes);
    }

    void consumed(Http2Stream stream, int bytes) {
        removeUnread(bytes);
        if (state.isOver()) {
            return;
        }
        try {
            if (decoder().flowController().consumeBytes(stream, bytes)) {
                flushLater();
            }
        } catch (Http2Exception e) {
            throw new IllegalStateException(e); // consumed twice: a fault of this program
        }
    }

    private void countUnread(long more) {
        if (unread.add(more) && !state.isOver()) {
            encoder()
                    .writeSettings(
                            context(),
                            new Http2Settings().initialWindowSize(unread.window()),
                            context().newPromise());
            flushLater();
        }
    }

    private void flushLater() {
        if (!reading && !flushIsDue && !state.isOver()) {
            flushIsDue = true;
            loop().execute(() -> {
                flushIsDue = false;
                if (!state.isOver()) {
                    flush(context());
                }
            });
        }
    }

    // Incoming frames.

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        if (state.isOver()) {
            ReferenceCountUtil.release(message);
            return;
        }
        reading = true;
        received += message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
        super.channelRead(context, message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) throws Exception {
        reading = false;
        if (state.isOver()) {
            context.fireChannelReadComplete();
            return;
        }
        pingSchedule.monitor().received(System.nanoTime());
        super.channelReadComplete(context); // flushes
    }

    private @Nullable Http2LineStream of(@Nullable Http2Stream stream) {
        return stream == null ? null : stream.getProperty(key);
    }

    private final class Frames extends Http2FrameAdapter {

        @Override
        public void onSettingsRead(ChannelHandlerContext context, Http2Settings sentSettings) {
            peer.received(sentSettings);
            if (state.markReady()) {
                owner.ready(Http2LineConnection.this);
            }
        }

        @Override
        public void onHeadersRead(
                ChannelHandlerContext context,
                int id,
                Http2Headers fields,
                int padding,
                boolean ends) {
            Http2Stream stream = connection().stream(id);
            Http2LineStream known = of(stream);
            if (known != null) {
                known.headers(fields, ends);
            } else if (stream != null) {
                requested(stream, fields, ends);
            }
        }

        @Override
        public void onHeadersRead(
                ChannelHandlerContext context,
                int id,
                Http2Headers fields,
                int dependency,
                short weight,
                boolean exclusive,
                int padding,
                boolean ends) {
            onHeadersRead(context, id, fields, padding, ends);
        }

        @Override
        public int onDataRead(
                ChannelHandlerContext context, int id, ByteBuf data, int padding, boolean ends) {
            AdaptiveReceiveWindow known = receiveWindow;
            if (known != null) {
                countReceived(known, padding + data.readableBytes());
            }
            return passData(id, data, padding, ends);
        }

        private int passData(int id, ByteBuf data, int padding, boolean ends) {
            Http2LineStream known = of(connection().stream(id));
            return padding + (known == null ? data.readableBytes() : known.received(data, ends));
        }

        @Override
        public void onPushPromiseRead(
                ChannelHandlerContext context,
                int id,
                int promised,
                Http2Headers head,
                int padding) {
            Http2Stream stream = connection().stream(promised);
            Http2LineStream beside = of(connection().stream(id));
            if (stream == null) {
                return;
            }
            Http2LineStream created =
                    new Http2LineStream(Http2LineConnection.this, stream, StreamListener.NOBODY);
            created.markOutputEnded();
            stream.setProperty(key, created);
            if (beside == null) {
                created.reset(Http2Error.CANCEL);
            } else {
                created.listener(beside.promised(head, created));
            }
        }

        @Override
        public void onRstStreamRead(ChannelHandlerContext context, int id, long code) {
            Http2LineStream known = of(connection().stream(id));
            if (known != null) {
                known.resetByPeer(code);
            }
        }

        @Override
        public void onGoAwayRead(ChannelHandlerContext context, int last, long code, ByteBuf data) {
            if (state.markDraining()) {
                Http2Error error = Http2Error.valueOf(code);
                state.why("the peer sent GOAWAY ("
                        + (error == null ? Long.toString(code) : error.name()) + ")");
                owner.draining(Http2LineConnection.this);
            }
            state.closesWhenDone();
            closeIfDone();
        }

        @Override
        public void onPingAckRead(ChannelHandlerContext context, long data) throws Http2Exception {
            long now = System.nanoTime();
            pingSchedule.monitor().answered(data, now);
            AdaptiveReceiveWindow known = receiveWindow;
            if (known != null) {
                widen(known.answered(data, now));
            }
        }
    }

    private void countReceived(AdaptiveReceiveWindow window, int bytes) {
        long now = System.nanoTime();
        if (window.received(now, bytes)) {
            encoder().writePing(context(), false, now, context().newPromise());
            flushLater();
        }
    }

    /** Reports the loss of this end's path, which the peer cannot measure. */
    private void reportLoss(TransportFigures now) {
        Http2Settings sentSettings = peer.nextReport(now);
        if (sentSettings != null) {
            encoder().writeSettings(context(), sentSettings, context().newPromise());
            flushLater();
        }
    }

    @Override
    public boolean offersQuic() {
        return peer.offersQuic();
    }

    private void requested(Http2Stream stream, Http2Headers head, boolean ends) {
        Http2LineStream created = new Http2LineStream(this, stream, StreamListener.NOBODY);
        created.setRank(SendPriority.of(head));
        stream.setProperty(key, created);
        if (ends) {
            created.markInputEnded();
        }
        try {
            created.listener(owner.requested(this, head, ends, created));
        } catch (RuntimeException e) {
            reset(stream, Http2Error.INTERNAL_ERROR);
        }
    }

    private void closed(Http2Stream stream) {
        Http2LineStream known = of(stream);
        if (known != null) {
            known.over(endOf(stream, known));
        }
        if (!state.isOver()) {
            owner.streamClosed(this);
            closeIfDone();
        }
    }

    private StreamEnd endOf(Http2Stream stream, Http2LineStream known) {
        StreamEnd own = known.end();
        if (own != null) {
            return own;
        }
        if (connection().local().isValidStreamId(stream.id())
                && connection().goAwayReceived()
                && stream.id() > connection().local().lastStreamKnownByPeer()) {
            return new StreamEnd(StreamEnd.Reason.REFUSED, 0, state.why());
        }
        // Streams that the connection's end closes were open until then.
        StreamEnd all = state.end();
        if (all != null) {
            return all;
        }
        // Closed for another reason: half a response is not complete.
        return known.isInputEnded()
                ? StreamEnd.COMPLETE
                : StreamEnd.lost("the stream was closed before its end");
    }

    // Liveness.

    private void tick() {
        if (state.isOver()) {
            return;
        }
        if (reportsLoss || congestion != null) {
            evaluate(TcpSocket.figures(channel()));
        }
        pingSchedule.tick(
                state.isReady(),
                data -> {
                    encoder().writePing(context(), false, data, context().newPromise());
                    flushLater();
                },
                this::fail);
    }

    /** Evaluates TCP's figures, read once for all uses. */
    private void evaluate(TransportFigures now) {
        if (reportsLoss) {
            reportLoss(now);
        }
        if (congestion != null
                && congestion.step(
                        System.nanoTime(),
                        now.sentBytes(),
                        now.retransmittedBytes(),
                        now.rttMicros(),
                        now.leastRttMicros())) {
            TcpSocket.congestion(channel(), congestion.preferred());
        }
    }

    @Override
    public ConnectionFigures figures() {
        ChannelHandlerContext known = ctx;
        return new ConnectionFigures(
                state.acceptsStreams(),
                streams(),
                sent,
                received,
                unread.bytes(),
                pingSchedule.monitor().rttMicros(),
                pingSchedule.monitor().leastRttMicros(),
                peer.sentBytes(),
                peer.againBytes(),
                LineCarrier.TCP,
                known == null ? TransportFigures.NONE : TcpSocket.figures(known.channel()));
    }

    // The end.

    @Override
    public void drain() {
        state.closesWhenDone();
        if (!state.isOver()) {
            // Requests that the peer has sent already are still served (RFC 9113 section 6.8).
            goAway(
                    context(),
                    Integer.MAX_VALUE,
                    Http2Error.NO_ERROR.code(),
                    Unpooled.EMPTY_BUFFER,
                    context().newPromise());
            flushLater();
            long trip = Math.max(
                    TimeUnit.MICROSECONDS.toNanos(2 * pingSchedule.monitor().rttMicros()),
                    TimeUnit.MILLISECONDS.toNanos(10));
            loop().schedule(this::refuseFurther, trip, TimeUnit.NANOSECONDS);
        }
    }

    private void refuseFurther() {
        if (!state.isOver()) {
            int last = connection().remote().lastStreamCreated();
            goAway(
                    context(),
                    last,
                    Http2Error.NO_ERROR.code(),
                    Unpooled.EMPTY_BUFFER,
                    context().newPromise());
            flushLater();
            state.markDraining();
            closeIfDone();
        }
    }

    private void closeIfDone() {
        if (isDone()) {
            // After the current read: its messages may still be answered.
            loop().execute(() -> {
                if (isDone()) {
                    linger();
                }
            });
        }
    }

    private boolean isDone() {
        return state.shouldClose() && connection().numActiveStreams() == 0;
    }

    private void linger() {
        state.markOver();
        // Promised streams that were never started end here.
        connection().close(context().voidPromise());
        LingeringClose.begin(channel(), () -> owner.lingerTimedOut(this));
    }

    @Override
    public void close(StreamEnd how) {
        if (!state.isOver()) {
            state.end(how);
            channel().close();
        }
    }

    void fail(String reason) {
        if (!state.isOver()) {
            state.why(reason);
        }
        channel().close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        state.endOrLost();
        pingSchedule.stop();
        state.markOver();
        super.channelInactive(context); // closes all streams
        owner.gone(this, state.why());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) throws Exception {
        if (Http2CodecUtil.getEmbeddedHttp2Exception(cause) != null) {
            super.exceptionCaught(context, cause);
        } else {
            fail(SocketFault.inWords(cause));
        }
    }

    @Override
    protected void onConnectionError(
            ChannelHandlerContext context,
            boolean outbound,
            Throwable cause,
            @Nullable Http2Exception exception) {
        if (state.end() == null && exception != null) {
            state.end(new StreamEnd(
                    StreamEnd.Reason.MALFORMED,
                    exception.error().code(),
                    "HTTP/2 protocol error: " + cause.getMessage()));
        } else if (state.end() == null) {
            state.why(SocketFault.inWords(cause)); // write to a closed socket
        }
        super.onConnectionError(context, outbound, cause, exception);
    }

    @Override
    protected void onStreamError(
            ChannelHandlerContext context,
            boolean outbound,
            Throwable cause,
            Http2Exception.StreamException exception) {
        Http2LineStream known = of(connection().stream(exception.streamId()));
        // A write that fails because its stream is being closed is not the reason of the close.
        if (known != null && !(outbound && exception.error() == Http2Error.STREAM_CLOSED)) {
            known.malformed(exception.error().code(), String.valueOf(cause.getMessage()));
        }
        super.onStreamError(context, outbound, cause, exception);
    }
}
