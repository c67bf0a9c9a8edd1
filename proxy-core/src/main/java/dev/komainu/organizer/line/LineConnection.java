package dev.komainu.organizer.line;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionDecoder;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.DefaultHttp2FrameWriter;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2LocalFlowController;
import io.netty.handler.codec.http2.DefaultHttp2RemoteFlowController;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameAdapter;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One TCP connection of a line, at either end, HTTP/2: frames in, {@link WireStream}s told; what streams send out, in the order of {@link SmallFirst}.
 *
 * <p>The connection's window is opened again as bytes come, whoever they are for: a reader that takes nothing fills its own stream's window
 * and stops nobody else. What readers have not taken is bounded otherwise: when it exceeds half of {@link LineSettings#heldBytes}, all
 * streams' windows shrink to {@value HeldBytes#THRIFTY_WINDOW} bytes (SETTINGS_INITIAL_WINDOW_SIZE reaches open streams too, RFC 9113 section 6.9.2) until
 * it is down to an eighth. At most are held: that half, what was on its way, and a small window for each stream.
 *
 * <p>Owned by its event loop.
 */
final class LineConnection extends Http2ConnectionHandler implements Connection {

    private static final int MAX_FIELDS_BYTES = 65_536;

    private final Owner owner;
    private final LineSettings settings;
    private final SmallFirst order;
    private final Http2Connection.PropertyKey key;
    private final Pulse pulse;
    private final Promises promises = new Promises();
    private final HeldBytes held;
    private final PeerSettings peer = new PeerSettings();
    private @Nullable ChannelHandlerContext ctx;
    private @Nullable Future<?> beat;
    private boolean ready;
    private boolean reading;
    private boolean flushIsDue;
    private boolean draining;
    private boolean closesWhenDone;
    /** Nothing more is said, and what comes is thrown away. */
    private boolean over;

    private String why = "closed by the peer";
    private @Nullable StreamEnd end;
    private long received;
    private long sent;
    private final boolean tellsLoss;

    private LineConnection(
            Owner owner,
            LineSettings settings,
            Http2ConnectionDecoder decoder,
            Http2ConnectionEncoder encoder,
            Http2Settings said,
            SmallFirst order,
            boolean tellsLoss) {
        super(decoder, encoder, said, true);
        this.owner = owner;
        this.settings = settings;
        this.held = new HeldBytes(settings);
        this.order = order;
        this.tellsLoss = tellsLoss;
        this.key = connection().newKey();
        this.pulse = new Pulse(settings, System.nanoTime());
        decoder.frameListener(new Frames());
        connection().addListener(new Http2ConnectionAdapter() {
            @Override
            public void onStreamClosed(Http2Stream stream) {
                closed(stream);
            }

            @Override
            public void onStreamRemoved(Http2Stream stream) {
                // A promise that ends before its head was never active: nothing told that it was closed.
                WireStream known = of(stream);
                if (known != null) {
                    known.over(endOf(stream, known));
                }
            }
        });
    }

    /** @param offersQuic whether this end answers over QUIC, too */
    static LineConnection make(boolean server, LineSettings settings, Owner owner, boolean offersQuic) {
        DefaultHttp2Connection connection = new DefaultHttp2Connection(server);
        SmallFirst order = new SmallFirst(connection);
        connection.remote().flowController(new DefaultHttp2RemoteFlowController(connection, order));
        connection
                .local()
                .flowController(new DefaultHttp2LocalFlowController(
                        connection, DefaultHttp2LocalFlowController.DEFAULT_WINDOW_UPDATE_RATIO, true));
        Http2Settings said = new Http2Settings()
                .initialWindowSize(settings.streamWindowBytes())
                .maxHeaderListSize(MAX_FIELDS_BYTES);
        if (server) {
            said.maxConcurrentStreams(settings.maxStreams()).connectProtocolEnabled(true);
            // In force from the first frame on.
            connection.remote().maxActiveStreams(settings.maxStreams());
        } else {
            said.pushEnabled(true);
        }
        if (offersQuic) {
            PeerSettings.offerQuic(said);
        }
        Http2ConnectionEncoder encoder = new DefaultHttp2ConnectionEncoder(connection, new DefaultHttp2FrameWriter());
        Http2ConnectionDecoder decoder = new DefaultHttp2ConnectionDecoder(
                connection,
                encoder,
                new DefaultHttp2FrameReader(new DefaultHttp2HeadersDecoder(true, true, MAX_FIELDS_BYTES)));
        return new LineConnection(owner, settings, decoder, encoder, said, order, offersQuic);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) throws Exception {
        ctx = context;
        super.handlerAdded(context);
        int wider = settings.connectionWindowBytes() - Http2CodecUtil.DEFAULT_WINDOW_SIZE;
        if (wider > 0) {
            decoder().flowController().incrementWindowSize(connection().connectionStream(), wider);
            context.flush();
        }
        long every = settings.pingEvery().toNanos();
        beat = context.channel().eventLoop().scheduleWithFixedDelay(this::beat, every, every, TimeUnit.NANOSECONDS);
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
    public boolean hasRoom(int spare) {
        return ready
                && !draining
                && !over
                && connection().local().numActiveStreams() + spare
                        < Math.min(settings.maxStreams(), connection().local().maxActiveStreams());
    }

    @Override
    public int streams() {
        return connection().numActiveStreams();
    }

    @Override
    public @Nullable LineStream open(Http2Headers head, boolean ends, StreamEvents events) {
        int id = connection().local().incrementAndGetNextStreamId();
        if (id < 0) { // all are used up (RFC 9113 section 5.1.1)
            draining = true;
            return null;
        }
        encoder().writeHeaders(context(), id, head, 0, ends, context().newPromise());
        Http2Stream stream = connection().stream(id);
        if (stream == null) {
            draining = true;
            return null;
        }
        WireStream made = new WireStream(this, stream, events);
        stream.setProperty(key, made);
        if (ends) {
            made.saidAll();
        }
        order.sends(stream, Precedence.of(head), Precedence.length(head));
        flushLater();
        return made;
    }

    /** Promises an answer beside a stream's own. @return null when that cannot be */
    @Nullable
    WireStream promise(Http2Stream beside, Http2Headers head, long bytes, SendingEvents events, int rank) {
        if (over || draining || !connection().remote().allowPushTo() || !promises.hasRoom(bytes)) {
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
        // Netty marks the stream beside which it was promised; and a reset of one that is not marked is not sent.
        stream.pushPromiseSent();
        WireStream made = new WireStream(this, stream, promises.place(bytes, events));
        made.answersWith(rank);
        made.heardAll();
        stream.setProperty(key, made);
        flushLater();
        return made;
    }

    // What WireStreams ask for.

    void writeHead(Http2Stream stream, Http2Headers head, boolean ends, int rank) {
        order.sends(stream, rank, Precedence.length(head));
        encoder().writeHeaders(context(), stream.id(), head, 0, ends, context().newPromise());
        flushLater();
    }

    void ranks(Http2Stream stream, int rank) {
        order.ranks(stream, rank);
    }

    void writeData(WireStream from, Http2Stream stream, ByteBuf bytes, boolean ends) {
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
        if (over) {
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
        if (held.grew(more) && !over) {
            encoder()
                    .writeSettings(
                            context(),
                            new Http2Settings().initialWindowSize(held.window()),
                            context().newPromise());
            flushLater();
        }
    }

    private void flushLater() {
        if (!reading && !flushIsDue && !over) {
            flushIsDue = true;
            loop().execute(() -> {
                flushIsDue = false;
                if (!over) {
                    flush(context());
                }
            });
        }
    }

    // Frames in.

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        if (over) {
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
        if (over) {
            context.fireChannelReadComplete();
            return;
        }
        pulse.heard(System.nanoTime());
        super.channelReadComplete(context); // flushes
    }

    private @Nullable WireStream of(@Nullable Http2Stream stream) {
        return stream == null ? null : stream.getProperty(key);
    }

    private final class Frames extends Http2FrameAdapter {

        @Override
        public void onSettingsRead(ChannelHandlerContext context, Http2Settings said) {
            peer.heard(said);
            if (!ready) {
                ready = true;
                owner.ready(LineConnection.this);
            }
        }

        @Override
        public void onHeadersRead(
                ChannelHandlerContext context, int id, Http2Headers fields, int padding, boolean ends) {
            Http2Stream stream = connection().stream(id);
            WireStream known = of(stream);
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
        public int onDataRead(ChannelHandlerContext context, int id, ByteBuf data, int padding, boolean ends) {
            WireStream known = of(connection().stream(id));
            return padding + (known == null ? data.readableBytes() : known.received(data, ends));
        }

        @Override
        public void onPushPromiseRead(
                ChannelHandlerContext context, int id, int promised, Http2Headers head, int padding) {
            Http2Stream stream = connection().stream(promised);
            WireStream beside = of(connection().stream(id));
            if (stream == null) {
                return;
            }
            WireStream made = new WireStream(LineConnection.this, stream, StreamEvents.NOBODY);
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
            WireStream known = of(connection().stream(id));
            if (known != null) {
                known.wasReset(code);
            }
        }

        @Override
        public void onGoAwayRead(ChannelHandlerContext context, int last, long code, ByteBuf data) {
            if (!draining) {
                draining = true;
                Http2Error error = Http2Error.valueOf(code);
                why = "the peer said GOAWAY (" + (error == null ? Long.toString(code) : error.name()) + ")";
                owner.draining(LineConnection.this);
            }
            closesWhenDone = true;
            closeIfDone();
        }

        @Override
        public void onPingAckRead(ChannelHandlerContext context, long data) {
            pulse.answered(data, System.nanoTime());
        }
    }

    /** What the peer cannot measure: what is lost of what it gets. */
    private void tellLoss() {
        Http2Settings said = tellsLoss ? peer.toTell(TcpFigures.of(channel())) : null;
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
        WireStream made = new WireStream(this, stream, StreamEvents.NOBODY);
        made.answersWith(Precedence.of(head));
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
        WireStream known = of(stream);
        if (known != null) {
            known.over(endOf(stream, known));
        }
        if (!over) {
            owner.streamClosed(this);
            closeIfDone();
        }
    }

    private StreamEnd endOf(Http2Stream stream, WireStream known) {
        StreamEnd own = known.end();
        if (own != null) {
            return own;
        }
        if (connection().local().isValidStreamId(stream.id())
                && connection().goAwayReceived()
                && stream.id() > connection().local().lastStreamKnownByPeer()) {
            return new StreamEnd(StreamEnd.Reason.REFUSED, 0, why);
        }
        // Streams that the connection's end closes were open until then.
        StreamEnd all = end;
        if (all != null) {
            return all;
        }
        // Whatever else closed it: half an answer is not the whole.
        return known.hasHeardAll() ? StreamEnd.COMPLETE : StreamEnd.lost("the stream was closed before its end");
    }

    // Its pulse.

    private void beat() {
        if (over) {
            return;
        }
        tellLoss();
        long now = System.nanoTime();
        switch (pulse.beat(now, ready)) {
            case PING -> {
                encoder().writePing(context(), false, now, context().newPromise());
                flushLater();
            }
            case LOST ->
                lose(
                        ready
                                ? "nothing heard for " + pulse.silentMillis(now) + " ms"
                                : "no HTTP/2 within the time to connect");
            case WAIT -> {
                // A ping is on its way.
            }
        }
    }

    @Override
    public ConnectionFigures figures() {
        ChannelHandlerContext known = ctx;
        return new ConnectionFigures(
                ready && !over && !draining,
                streams(),
                sent,
                received,
                held.bytes(),
                pulse.rttMicros(),
                pulse.leastRttMicros(),
                peer.sentBytes(),
                peer.againBytes(),
                LineCarrier.TCP,
                known == null ? TcpFigures.NONE : TcpFigures.of(known.channel()));
    }

    // How it ends.

    @Override
    public void drain() {
        closesWhenDone = true;
        if (!over) {
            // What the peer has sent already is still served (RFC 9113 section 6.8).
            goAway(
                    context(),
                    Integer.MAX_VALUE,
                    Http2Error.NO_ERROR.code(),
                    Unpooled.EMPTY_BUFFER,
                    context().newPromise());
            flushLater();
            long trip =
                    Math.max(TimeUnit.MICROSECONDS.toNanos(2 * pulse.rttMicros()), TimeUnit.MILLISECONDS.toNanos(10));
            loop().schedule(this::refuseFurther, trip, TimeUnit.NANOSECONDS);
        }
    }

    private void refuseFurther() {
        if (!over) {
            int last = connection().remote().lastStreamCreated();
            goAway(
                    context(),
                    last,
                    Http2Error.NO_ERROR.code(),
                    Unpooled.EMPTY_BUFFER,
                    context().newPromise());
            flushLater();
            draining = true;
            closeIfDone();
        }
    }

    private void closeIfDone() {
        if (closesWhenDone && isIdle()) {
            // Behind whatever is being read: that may still be answered.
            loop().execute(() -> {
                if (isIdle()) {
                    linger();
                }
            });
        }
    }

    private boolean isIdle() {
        return draining && connection().numActiveStreams() == 0 && !over;
    }

    private void linger() {
        over = true;
        // What was promised and never begun ends here.
        connection().close(context().voidPromise());
        LingeringClose.begin(channel(), () -> owner.lingeredOut(this));
    }

    @Override
    public void close(StreamEnd how) {
        if (!over) {
            end = how;
            why = how.detail();
            channel().close();
        }
    }

    void lose(String reason) {
        if (!over) {
            why = reason;
        }
        channel().close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        if (end == null) {
            end = StreamEnd.lost("connection lost: " + why);
        }
        Future<?> beating = beat;
        if (beating != null) {
            beating.cancel(false);
        }
        over = true;
        super.channelInactive(context); // closes all streams
        owner.gone(this, why);
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
            ChannelHandlerContext context, boolean outbound, Throwable cause, @Nullable Http2Exception told) {
        if (end == null && told != null) {
            why = "HTTP/2 broken: " + cause.getMessage();
            end = new StreamEnd(StreamEnd.Reason.MALFORMED, told.error().code(), why);
        } else if (end == null) {
            why = SocketFault.inWords(cause); // writing to a socket that is gone
        }
        super.onConnectionError(context, outbound, cause, told);
    }

    @Override
    protected void onStreamError(
            ChannelHandlerContext context, boolean outbound, Throwable cause, Http2Exception.StreamException told) {
        WireStream known = of(connection().stream(told.streamId()));
        // What could not be written because its stream is being closed says nothing of why it is.
        if (known != null && !(outbound && told.error() == Http2Error.STREAM_CLOSED)) {
            known.malformed(told.error().code(), String.valueOf(cause.getMessage()));
        }
        super.onStreamError(context, outbound, cause, told);
    }
}
