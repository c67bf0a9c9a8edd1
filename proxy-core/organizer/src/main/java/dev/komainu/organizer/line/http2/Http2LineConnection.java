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
 * One TCP connection of a line, at either end, HTTP/2: frames in, {@link Http2LineStream}s told;
 * what streams send out, in the order of {@link SrptByteDistributor}.
 *
 * <p>The connection's window is opened again as bytes come, whoever they are for: a reader that
 * takes nothing fills its own stream's window and stops nobody else. What readers have not taken is
 * bounded otherwise: when it exceeds half of {@link LineSettings#heldBytes}, all streams' windows
 * shrink to {@value UnreadBytes#THRIFTY_WINDOW} bytes (SETTINGS_INITIAL_WINDOW_SIZE reaches open
 * streams too, RFC 9113 section 6.9.2) until it is down to an eighth. At most are held: that half,
 * what was on its way, and a small window for each stream.
 *
 * <p>Owned by its event loop.
 */
public final class Http2LineConnection extends Http2ConnectionHandler implements LineConnection {

    private final Owner owner;
    private final LineSettings settings;
    private final SrptByteDistributor order;
    private final DefaultHttp2LocalFlowController windows;
    private final Http2Connection.PropertyKey key;
    private final PingSchedule heartbeat;
    private final LineConnectionState standing = new LineConnectionState();
    private final PushPromises promises = new PushPromises();
    private final UnreadBytes held;
    private final PeerSettings peer = new PeerSettings();
    private @Nullable ChannelHandlerContext ctx;
    private boolean reading;
    private boolean flushIsDue;
    private long received;
    private long sent;
    private final boolean tellsLoss;
    /** Absent: settings name one. */
    private final @Nullable CongestionChoice congestion;
    /** Absent: TCP has selective acknowledgements, or does not tell. */
    private @Nullable AdaptiveReceiveWindow careful;

    private Http2LineConnection(
            Owner owner, LineSettings settings, LineCodec codec, boolean tellsLoss) {
        super(codec.decoder(), codec.encoder(), codec.said(), true);
        this.owner = owner;
        this.settings = settings;
        this.held = new UnreadBytes(settings);
        this.order = codec.order();
        this.windows = codec.windows();
        this.tellsLoss = tellsLoss;
        this.key = connection().newKey();
        this.heartbeat = new PingSchedule(settings, "HTTP/2");
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
                // A promise that ends before its head was never active: nothing told that it was
                // closed.
                Http2LineStream known = of(stream);
                if (known != null) {
                    known.over(endOf(stream, known));
                }
            }
        });
    }

    /** @param offersQuic whether this end answers over QUIC, too */
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
            careful =
                    new AdaptiveReceiveWindow(settings.connectionWindowBytes(), System.nanoTime());
            windows.windowUpdateRatio(
                    connection().connectionStream(), AdaptiveReceiveWindow.UPDATE_RATIO);
        } else {
            widen(settings.connectionWindowBytes() - Http2CodecUtil.DEFAULT_WINDOW_SIZE);
        }
        context.flush();
        heartbeat.begin(context.channel().eventLoop(), this::beat);
    }

    /**
     * The connection's window, from now on. @param more less than 0: the peer is given less again
     * until it has so much less
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

    // Streams out.

    @Override
    public boolean isOverdue() {
        return heartbeat.pulse().isOverdue(System.nanoTime());
    }

    @Override
    public boolean hasRoom(int spare) {
        return standing.takesStreams()
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
        if (id < 0) { // all are used up (RFC 9113 section 5.1.1)
            standing.drains();
            return null;
        }
        encoder().writeHeaders(context(), id, head, 0, ends, context().newPromise());
        Http2Stream stream = connection().stream(id);
        if (stream == null) {
            standing.drains();
            return null;
        }
        Http2LineStream made = new Http2LineStream(this, stream, events);
        stream.setProperty(key, made);
        if (ends) {
            made.saidAll();
        }
        order.sends(stream, SendPriority.of(head), SendPriority.length(head));
        flushLater();
        return made;
    }

    /** Promises an answer beside a stream's own. @return null when that cannot be */
    @Nullable
    Http2LineStream promise(
            Http2Stream beside, Http2Headers head, long bytes, SendingListener events, int rank) {
        if (standing.isOver()
                || standing.isDraining()
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
        // Netty marks the stream beside which it was promised; and a reset of one that is not
        // marked is not sent.
        stream.pushPromiseSent();
        Http2LineStream made = new Http2LineStream(this, stream, promises.place(bytes, events));
        made.answersWith(rank);
        made.heardAll();
        stream.setProperty(key, made);
        flushLater();
        return made;
    }

    // What WireStreams ask for.

    void writeHead(Http2Stream stream, Http2Headers head, boolean ends, int rank) {
        order.sends(stream, rank, SendPriority.length(head));
        encoder().writeHeaders(context(), stream.id(), head, 0, ends, context().newPromise());
        flushLater();
    }

    void ranks(Http2Stream stream, int rank) {
        order.ranks(stream, rank);
    }

    void writeData(Http2LineStream from, Http2Stream stream, ByteBuf bytes, boolean ends) {
        int count = bytes.readableBytes();
        encoder()
                .writeData(context(), stream.id(), bytes, 0, ends, context().newPromise())
                .addListener(done -> {
                    if (done.isSuccess()) {
                        sent += count;
                    }
                    from.wrote(count);
                });
        flushLater();
    }

    void reset(Http2Stream stream, Http2Error code) {
        resetStream(context(), stream.id(), code.code(), context().newPromise());
        flushLater();
    }

    void holds(int bytes) {
        weigh(bytes);
    }

    void forget(long bytes) {
        weigh(-bytes);
    }

    void consumed(Http2Stream stream, int bytes) {
        forget(bytes);
        if (standing.isOver()) {
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

    private void weigh(long more) {
        if (held.grew(more) && !standing.isOver()) {
            encoder()
                    .writeSettings(
                            context(),
                            new Http2Settings().initialWindowSize(held.window()),
                            context().newPromise());
            flushLater();
        }
    }

    private void flushLater() {
        if (!reading && !flushIsDue && !standing.isOver()) {
            flushIsDue = true;
            loop().execute(() -> {
                flushIsDue = false;
                if (!standing.isOver()) {
                    flush(context());
                }
            });
        }
    }

    // Frames in.

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        if (standing.isOver()) {
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
        if (standing.isOver()) {
            context.fireChannelReadComplete();
            return;
        }
        heartbeat.pulse().heard(System.nanoTime());
        super.channelReadComplete(context); // flushes
    }

    private @Nullable Http2LineStream of(@Nullable Http2Stream stream) {
        return stream == null ? null : stream.getProperty(key);
    }

    private final class Frames extends Http2FrameAdapter {

        @Override
        public void onSettingsRead(ChannelHandlerContext context, Http2Settings said) {
            peer.heard(said);
            if (standing.becomesReady()) {
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
                asked(stream, fields, ends);
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
            AdaptiveReceiveWindow known = careful;
            if (known != null) {
                came(known, padding + data.readableBytes());
            }
            return took(id, data, padding, ends);
        }

        private int took(int id, ByteBuf data, int padding, boolean ends) {
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
            Http2LineStream made =
                    new Http2LineStream(Http2LineConnection.this, stream, StreamListener.NOBODY);
            made.saidAll();
            stream.setProperty(key, made);
            if (beside == null) {
                made.reset(Http2Error.CANCEL);
            } else {
                made.listener(beside.promised(head, made));
            }
        }

        @Override
        public void onRstStreamRead(ChannelHandlerContext context, int id, long code) {
            Http2LineStream known = of(connection().stream(id));
            if (known != null) {
                known.wasReset(code);
            }
        }

        @Override
        public void onGoAwayRead(ChannelHandlerContext context, int last, long code, ByteBuf data) {
            if (standing.drains()) {
                Http2Error error = Http2Error.valueOf(code);
                standing.why("the peer said GOAWAY ("
                        + (error == null ? Long.toString(code) : error.name()) + ")");
                owner.draining(Http2LineConnection.this);
            }
            standing.closesWhenDone();
            closeIfDone();
        }

        @Override
        public void onPingAckRead(ChannelHandlerContext context, long data) throws Http2Exception {
            long now = System.nanoTime();
            heartbeat.pulse().answered(data, now);
            AdaptiveReceiveWindow known = careful;
            if (known != null) {
                widen(known.answered(data, now));
            }
        }
    }

    private void came(AdaptiveReceiveWindow window, int bytes) {
        long now = System.nanoTime();
        if (window.received(now, bytes)) {
            encoder().writePing(context(), false, now, context().newPromise());
            flushLater();
        }
    }

    /** What the peer cannot measure: what is lost of what it gets. */
    private void tellLoss(TransportFigures now) {
        Http2Settings said = peer.toTell(now);
        if (said != null) {
            encoder().writeSettings(context(), said, context().newPromise());
            flushLater();
        }
    }

    @Override
    public boolean offersQuic() {
        return peer.offersQuic();
    }

    private void asked(Http2Stream stream, Http2Headers head, boolean ends) {
        Http2LineStream made = new Http2LineStream(this, stream, StreamListener.NOBODY);
        made.answersWith(SendPriority.of(head));
        stream.setProperty(key, made);
        if (ends) {
            made.heardAll();
        }
        try {
            made.listener(owner.asked(this, head, ends, made));
        } catch (RuntimeException e) {
            reset(stream, Http2Error.INTERNAL_ERROR);
        }
    }

    private void closed(Http2Stream stream) {
        Http2LineStream known = of(stream);
        if (known != null) {
            known.over(endOf(stream, known));
        }
        if (!standing.isOver()) {
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
            return new StreamEnd(StreamEnd.Reason.REFUSED, 0, standing.why());
        }
        // Streams that the connection's end closes were open until then.
        StreamEnd all = standing.end();
        if (all != null) {
            return all;
        }
        // Whatever else closed it: half an answer is not the whole.
        return known.hasHeardAll()
                ? StreamEnd.COMPLETE
                : StreamEnd.lost("the stream was closed before its end");
    }

    // Its pulse.

    private void beat() {
        if (standing.isOver()) {
            return;
        }
        if (tellsLoss || congestion != null) {
            look(TcpSocket.figures(channel()));
        }
        heartbeat.beat(
                standing.isReady(),
                data -> {
                    encoder().writePing(context(), false, data, context().newPromise());
                    flushLater();
                },
                this::lose);
    }

    /** What TCP says, asked once for all who want to know. */
    private void look(TransportFigures now) {
        if (tellsLoss) {
            tellLoss(now);
        }
        if (congestion != null
                && congestion.step(
                        System.nanoTime(),
                        now.sentBytes(),
                        now.retransmittedBytes(),
                        now.rttMicros(),
                        now.leastRttMicros())) {
            TcpSocket.congestion(channel(), congestion.wish());
        }
    }

    @Override
    public ConnectionFigures figures() {
        ChannelHandlerContext known = ctx;
        return new ConnectionFigures(
                standing.takesStreams(),
                streams(),
                sent,
                received,
                held.bytes(),
                heartbeat.pulse().rttMicros(),
                heartbeat.pulse().leastRttMicros(),
                peer.sentBytes(),
                peer.againBytes(),
                LineCarrier.TCP,
                known == null ? TransportFigures.NONE : TcpSocket.figures(known.channel()));
    }

    // How it ends.

    @Override
    public void drain() {
        standing.closesWhenDone();
        if (!standing.isOver()) {
            // What the peer has sent already is still served (RFC 9113 section 6.8).
            goAway(
                    context(),
                    Integer.MAX_VALUE,
                    Http2Error.NO_ERROR.code(),
                    Unpooled.EMPTY_BUFFER,
                    context().newPromise());
            flushLater();
            long trip = Math.max(
                    TimeUnit.MICROSECONDS.toNanos(2 * heartbeat.pulse().rttMicros()),
                    TimeUnit.MILLISECONDS.toNanos(10));
            loop().schedule(this::refuseFurther, trip, TimeUnit.NANOSECONDS);
        }
    }

    private void refuseFurther() {
        if (!standing.isOver()) {
            int last = connection().remote().lastStreamCreated();
            goAway(
                    context(),
                    last,
                    Http2Error.NO_ERROR.code(),
                    Unpooled.EMPTY_BUFFER,
                    context().newPromise());
            flushLater();
            standing.drains();
            closeIfDone();
        }
    }

    private void closeIfDone() {
        if (isDone()) {
            // Behind whatever is being read: that may still be answered.
            loop().execute(() -> {
                if (isDone()) {
                    linger();
                }
            });
        }
    }

    private boolean isDone() {
        return standing.isToClose() && connection().numActiveStreams() == 0;
    }

    private void linger() {
        standing.ends();
        // What was promised and never begun ends here.
        connection().close(context().voidPromise());
        LingeringClose.begin(channel(), () -> owner.lingeredOut(this));
    }

    @Override
    public void close(StreamEnd how) {
        if (!standing.isOver()) {
            standing.end(how);
            channel().close();
        }
    }

    void lose(String reason) {
        if (!standing.isOver()) {
            standing.why(reason);
        }
        channel().close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        standing.endOfAll();
        heartbeat.stop();
        standing.ends();
        super.channelInactive(context); // closes all streams
        owner.gone(this, standing.why());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) throws Exception {
        if (Http2CodecUtil.getEmbeddedHttp2Exception(cause) != null) {
            super.exceptionCaught(context, cause);
        } else {
            lose(SocketFault.inWords(cause));
        }
    }

    @Override
    protected void onConnectionError(
            ChannelHandlerContext context,
            boolean outbound,
            Throwable cause,
            @Nullable Http2Exception told) {
        if (standing.end() == null && told != null) {
            standing.end(new StreamEnd(
                    StreamEnd.Reason.MALFORMED,
                    told.error().code(),
                    "HTTP/2 broken: " + cause.getMessage()));
        } else if (standing.end() == null) {
            standing.why(SocketFault.inWords(cause)); // writing to a socket that is gone
        }
        super.onConnectionError(context, outbound, cause, told);
    }

    @Override
    protected void onStreamError(
            ChannelHandlerContext context,
            boolean outbound,
            Throwable cause,
            Http2Exception.StreamException told) {
        Http2LineStream known = of(connection().stream(told.streamId()));
        // What could not be written because its stream is being closed says nothing of why it is.
        if (known != null && !(outbound && told.error() == Http2Error.STREAM_CLOSED)) {
            known.malformed(told.error().code(), String.valueOf(cause.getMessage()));
        }
        super.onStreamError(context, outbound, cause, told);
    }
}
