package dev.komainu.proxy.exchange;

import dev.komainu.intermediary.buffer.UpstreamReads;
import dev.komainu.intermediary.connection.DeadlineList;
import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.proxy.connection.ClientHttp2Settings;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http2.DecoratingHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionDecoder;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.DefaultHttp2FrameWriter;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
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
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.UniformStreamByteDistributor;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client's HTTP/2 connection (RFC 9113): frames in, one {@link Http2ClientStream} for each
 * request, frames out.
 *
 * <p>Reads once, serves every complete request of that read, flushes once, as HTTP/1 does. Netty
 * handles frames, compression and windows; this class limits their cost:
 *
 * <table><caption>Limits</caption>
 * <tr><td>streams at once</td><td>{@code http2.max-streams}</td><td>RST_STREAM(REFUSED_STREAM)</td></tr>
 * <tr><td>fields of a request</td><td>{@value #MAX_FIELDS_BYTES} bytes with 32 for each field</td><td>431</td></tr>
 * <tr><td>compression tables</td><td>4,096 bytes each way, even if the client allows more</td><td></td></tr>
 * <tr><td>frames without a use, cancelled requests</td><td>{@link ControlFrameBudget}</td><td>GOAWAY(ENHANCE_YOUR_CALM)</td></tr>
 * <tr><td>a head, from its first byte until it is complete</td><td>{@code connections.head-timeout}</td><td>GOAWAY</td></tr>
 * <tr><td>bytes not accepted by the client's socket</td><td>the write watermark; then nothing is read</td><td></td></tr>
 * </table>
 *
 * Owned by its event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write closes the channel
final class Http2Session extends Http2ConnectionHandler implements ClientSession {

    private static final int FRAME_HEAD = 9;

    /**
     * The 32 KB of {@code RequestHead}, and the extra cost of 100 fields in HPACK's size (RFC 7541
     * section 4.1).
     */
    private static final int MAX_FIELDS_BYTES = RequestHead.MAX_BYTES + 4096;

    private static final int LEAST_USEFUL_BYTES = 512;
    private static final AsciiString SET_COOKIE = AsciiString.cached("set-cookie");
    private static final AsciiString AGE = AsciiString.cached("age");

    private final LoopContext loopContext;
    private final Channel channel;
    private final InetSocketAddress peer;
    private final ClientPermission permission;
    private final boolean absolute;
    /** The settings in force at the start of the connection; its windows were announced then. */
    private final ClientHttp2Settings streams;

    private final boolean overTls;
    private final Http2Connection.PropertyKey streamKey;
    private final StreamIdCheck streamIds;
    private final StallDetector stall;
    private final ClientConnectionClose closer;
    private final ControlFrameBudget budget = new ControlFrameBudget(System.nanoTime());
    private final FrameInspection inspection = new FrameInspection(budget);
    private final List<Http2ClientStream> unflushed = new ArrayList<>();
    private final List<Http2ClientStream> writableStreams = new ArrayList<>();
    private final DeadlineList.Entry deadline = new DeadlineList.Entry() {
        @Override
        protected void expired() {
            idleTimeout();
        }
    };
    private final DeadlineList.Entry headDeadline = new DeadlineList.Entry() {
        @Override
        protected void expired() {
            loopContext.tally.headTimeouts++;
            closeNow(Http2Error.NO_ERROR);
        }
    };
    private @Nullable ChannelHandlerContext ctx;
    /** The frame for which the head deadline waits, as {@link FrameInspection#open} numbers it. */
    private long openSince;

    private OpenSessions.@Nullable Entry openSession;
    private boolean hasSettings;
    private boolean reading;
    private boolean flushing;
    private boolean hasRoomAgain;
    private boolean flushIsDue;
    private boolean inputEnded;
    private boolean closeRequested;
    private boolean goAwayDue;
    /** Whether further input is dropped. */
    private boolean discarding;

    private Http2Session(
            LoopContext loopContext,
            Channel channel,
            InetSocketAddress peer,
            Http2ConnectionDecoder decoder,
            Http2ConnectionEncoder encoder,
            Http2Settings settings,
            StreamIdCheck streamIds) {
        super(decoder, encoder, settings, true);
        this.streamIds = streamIds;
        this.loopContext = loopContext;
        this.channel = channel;
        this.peer = peer;
        this.permission = new ClientPermission(peer.getAddress());
        this.absolute = loopContext.policy.routes().isForward();
        this.streams = loopContext.policy.streams();
        this.overTls = channel.pipeline().get(SslHandler.class) != null;
        this.streamKey = connection().newKey();
        this.closer = new ClientConnectionClose(loopContext.lingering, channel, overTls, deadline);
        this.stall = new StallDetector(loopContext, channel) {
            @Override
            void stalled() {
                loopContext.tally.stalledWrites++;
                closeNow(Http2Error.NO_ERROR);
            }
        };
        decoder.frameListener(new Requests());
        connection().addListener(new Http2ConnectionAdapter() {
            @Override
            public void onStreamClosed(Http2Stream stream) {
                streamClosed(stream);
            }
        });
    }

    @SuppressWarnings("UndefinedEquals") // Http2ResponseFields makes all names AsciiStrings
    static Http2Session create(LoopContext loopContext, Channel channel, InetSocketAddress peer) {
        ClientHttp2Settings http2 = loopContext.policy.streams();
        Http2Settings settings = new Http2Settings()
                .maxConcurrentStreams(http2.maxStreams())
                .initialWindowSize(http2.windowBytes())
                .maxHeaderListSize(MAX_FIELDS_BYTES);
        DefaultHttp2Connection connection = new DefaultHttp2Connection(true);
        // In force from the first frame on: a client's acknowledgement may be late, or never
        // arrive.
        connection.remote().maxActiveStreams(http2.maxStreams());
        connection
                .remote()
                .flowController(new DefaultHttp2RemoteFlowController(
                        connection, new UniformStreamByteDistributor(connection)));
        Http2HeadersEncoder fields = new DefaultHttp2HeadersEncoder(
                (name, value) -> SET_COOKIE.equals(name) || AGE.equals(name), true);
        Http2ConnectionEncoder encoder = new FrugalEncoder(
                new DefaultHttp2ConnectionEncoder(connection, new DefaultHttp2FrameWriter(fields)));
        StreamIdCheck streamIds = new StreamIdCheck(
                new DefaultHttp2FrameReader(
                        new DefaultHttp2HeadersDecoder(true, true, MAX_FIELDS_BYTES)),
                connection);
        Http2ConnectionDecoder decoder =
                new DefaultHttp2ConnectionDecoder(connection, encoder, streamIds);
        return new Http2Session(loopContext, channel, peer, decoder, encoder, settings, streamIds);
    }

    /**
     * An encoder that limits the compression table to the default size, even if the client permits
     * a larger one (RFC 9113 section 6.5.2 allows this).
     */
    private static final class FrugalEncoder extends DecoratingHttp2ConnectionEncoder {

        FrugalEncoder(Http2ConnectionEncoder plain) {
            super(plain);
        }

        @Override
        public void remoteSettings(Http2Settings settings) throws Http2Exception {
            Long table = settings.headerTableSize();
            if (table != null && table > Http2CodecUtil.DEFAULT_HEADER_TABLE_SIZE) {
                settings.headerTableSize(Http2CodecUtil.DEFAULT_HEADER_TABLE_SIZE);
            }
            super.remoteSettings(settings);
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) throws Exception {
        ctx = context;
        loopContext.tally.clientConnections++;
        openSession = loopContext.connections.add(this);
        // Many responses share this connection: no single origin determines its demand.
        loopContext.buffers.attach(channel, UpstreamReads.NONE);
        openSince = inspection.open();
        loopContext.heads.current().append(headDeadline, System.nanoTime());
        super.handlerAdded(context);
        int wider = loopContext.policy.streams().connectionWindowBytes()
                - Http2CodecUtil.DEFAULT_WINDOW_SIZE;
        if (wider > 0) {
            decoder().flowController().incrementWindowSize(connection().connectionStream(), wider);
            context.flush();
        }
    }

    // Bytes in.

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
        reading = true;
        if (discarding) {
            ReferenceCountUtil.release(message);
        } else if (inspection.read((ByteBuf) message, loopContext.time.update())) {
            super.channelRead(context, message);
        } else {
            ReferenceCountUtil.release(message);
            refuseFlood(context);
        }
    }

    private void refuseFlood(ChannelHandlerContext context) {
        onError(
                context,
                false,
                Http2Exception.connectionError(
                        Http2Error.ENHANCE_YOUR_CALM, "Too many frames without a use"));
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        discardSomeReadBytes();
        reading = false;
        flushNow();
        awaitRequest();
        awaitHead();
    }

    /**
     * Starts the head deadline: a frame or head that has started must be complete in time, however
     * slowly its bytes arrive.
     */
    private void awaitHead() {
        long open = hasSettings ? inspection.open() : 1;
        if (open == 0 || discarding) {
            DeadlineList.remove(headDeadline);
        } else if (open != openSince || !headDeadline.isWaiting()) {
            loopContext.heads.current().append(headDeadline, System.nanoTime());
        }
        openSince = open;
    }

    /** The listener for complete frames of the decoder. */
    private final class Requests extends Http2FrameAdapter {

        @Override
        public void onSettingsRead(ChannelHandlerContext context, Http2Settings settings) {
            hasSettings = true;
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
                boolean ends)
                throws Http2Exception {
            Http2Stream stream = connection().stream(id);
            Http2ClientStream clientStream = streamOf(stream);
            if (clientStream != null) {
                clientStream.trailers(
                        RequestHeadText.trailers(id, fields, loopContext.requestText));
            } else {
                request(stream, fields, ends);
            }
        }

        @Override
        public int onDataRead(
                ChannelHandlerContext context, int id, ByteBuf data, int padding, boolean ends) {
            Http2ClientStream clientStream = streamOf(connection().stream(id));
            return padding
                    + (clientStream == null ? data.readableBytes() : clientStream.data(data, ends));
        }
    }

    private @Nullable Http2ClientStream streamOf(Http2Stream stream) {
        return stream.getProperty(streamKey);
    }

    private void request(Http2Stream stream, Http2Headers fields, boolean ends)
            throws Http2Exception {
        String fault = write(fields, ends);
        if (fault != null) {
            throw Http2Exception.streamError(stream.id(), Http2Error.PROTOCOL_ERROR, fault);
        }
        Http2ClientStream clientStream = new Http2ClientStream(this, loopContext, stream);
        stream.setProperty(streamKey, clientStream);
        DeadlineList.remove(deadline);
        if (!ends && isBodyUnlikely(fields)) {
            clientStream.awaitBody(fields);
        } else {
            start(clientStream, ends);
        }
    }

    private @Nullable String write(Http2Headers fields, boolean ends) {
        loopContext.requestText.clear();
        return RequestHeadText.write(fields, ends, absolute, loopContext.requestText);
    }

    /**
     * Reports whether a body is unlikely: it has no meaning for these methods (RFC 9110 section
     * 9.3.1), and a body of zero bytes is none.
     */
    private static boolean isBodyUnlikely(Http2Headers fields) {
        CharSequence method = fields.method();
        return method != null
                && (AsciiString.contentEquals("GET", method)
                        || AsciiString.contentEquals("HEAD", method))
                && !fields.contains("content-length")
                && !fields.contains("expect");
    }

    /** Starts a kept request when it is known whether it has a body. */
    void start(Http2ClientStream clientStream, Http2Headers fields, boolean ends) {
        // It was written before, and was valid.
        write(fields, ends);
        start(clientStream, ends);
    }

    /** Parses the request in the loop's buffer and starts it. */
    private void start(Http2ClientStream clientStream, boolean ends) {
        ByteBuf text = loopContext.requestText;
        int size = text.readableBytes();
        RequestHead head = loopContext.head;
        head.setReceivedOver(overTls, true);
        switch (head.read(text)) {
            case COMPLETE -> clientStream.receiveRequest(head, size, ends);
            case FAULT -> clientStream.receiveMalformed(head.fault(), ends);
            case INCOMPLETE ->
                throw new IllegalStateException("A request written by this program is not whole");
        }
    }

    // Frames out, as streams request them.

    /**
     * Reports whether the client may use the proxy. A client that a reload has excluded gets GOAWAY
     * beside the next response; its other requests are refused, or complete as they started.
     */
    boolean permitted() {
        boolean before = permission.wasGiven();
        boolean now = permission.isGiven(loopContext.policy);
        if (before && !now && !closeRequested) {
            closeRequested = true;
            goAwayDue = true;
            flushLater();
        }
        return now;
    }

    ClientHttp2Settings streams() {
        return streams;
    }

    InetSocketAddress peer() {
        return peer;
    }

    ByteBuf allocate(int size) {
        return channel.alloc().directBuffer(size);
    }

    int mostInFrame() {
        return encoder().configuration().frameSizePolicy().maxFrameSize();
    }

    void writeHeaders(Http2Stream stream, Http2ResponseFields head, boolean ends) {
        writeHeaders(stream, head.fields(), head.informational(), ends);
    }

    void writeTrailers(Http2Stream stream, Http2Headers trailers) {
        writeHeaders(stream, trailers, false, true);
    }

    private void writeHeaders(
            Http2Stream stream, Http2Headers fields, boolean informational, boolean ends) {
        ChannelHandlerContext to = ctx;
        if (to != null) {
            // The owner of the stream closes it at once: nothing waits for the socket there.
            frameWriter().writeHeaders(to, stream.id(), fields, 0, ends, to.newPromise());
            stream.headersSent(informational);
        }
    }

    void enqueue(Http2Stream stream, PendingData part) {
        encoder().flowController().addFlowControlled(stream, part);
    }

    void closeLocal(Http2Stream stream) {
        closeStreamLocal(stream, channel.newSucceededFuture());
    }

    void reset(Http2Stream stream, Http2Error error) {
        ChannelHandlerContext to = ctx;
        if (to != null) {
            resetStream(to, stream.id(), error.code(), to.newPromise());
        }
    }

    /**
     * Sends the bytes that the windows allow, then resets the stream: the client must see that its
     * response is incomplete.
     */
    void breakOff(Http2Stream stream) {
        try {
            encoder().flowController().writePendingBytes();
        } catch (Http2Exception e) {
            // The connection itself is faulty; the reset below ends at least this stream.
        }
        reset(stream, Http2Error.INTERNAL_ERROR);
        flushLater();
    }

    /**
     * Records a DATA frame that was sent, in two buffers. Tiny frames respond to windows opened by
     * single bytes: they add nothing to the budget.
     */
    void sentData(int bytes) {
        stall.wrote(FRAME_HEAD);
        stall.wrote(bytes);
        if (bytes >= LEAST_USEFUL_BYTES) {
            budget.sent();
        }
    }

    /** Resets a stream for which the client opens no window. */
    void stalled(Http2Stream stream) {
        loopContext.tally.stalledWrites++;
        reset(stream, Http2Error.CANCEL);
        flushLater();
    }

    void consumed(Http2Stream stream, int bytes) {
        try {
            decoder().flowController().consumeBytes(stream, bytes);
        } catch (Http2Exception e) {
            throw new IllegalStateException(e); // consumed twice: a fault of this program
        }
        flushLater();
    }

    /** Widens the window of a stream before its bytes are consumed. */
    void widen(Http2Stream stream, int bytes) {
        try {
            decoder().flowController().incrementWindowSize(stream, bytes);
        } catch (Http2Exception e) {
            throw new IllegalStateException(e); // beyond 2^31 - 1: settings do not allow this
        }
        flushLater();
    }

    void unflushed(Http2ClientStream stream) {
        unflushed.add(stream);
    }

    void streamProgressed(Http2ClientStream stream) {
        writableStreams.add(stream);
    }

    void flushLater() {
        if (!reading && !flushIsDue) {
            flushIsDue = true;
            loopContext.flushLater(this);
        }
    }

    @Override
    public void flushNow() {
        flushIsDue = false;
        ChannelHandlerContext to = ctx;
        if (to == null || flushing || closer.isLingering()) {
            return;
        }
        if (goAwayDue) {
            goAwayDue = false;
            sendGoAway(connection().remote().lastStreamCreated());
        }
        flushing = true;
        for (int i = 0; i < unflushed.size(); i++) {
            unflushed.get(i).flushing();
        }
        do {
            hasRoomAgain = false;
            flush(to);
        } while (hasRoomAgain);
        long now = unflushed.isEmpty() ? 0 : System.nanoTime();
        for (int i = 0; i < unflushed.size(); i++) {
            unflushed.get(i).flushed(now);
        }
        unflushed.clear();
        stall.flushed();
        flushing = false;
        for (int i = 0; i < writableStreams.size(); i++) {
            writableStreams.get(i).pump();
        }
        writableStreams.clear();
        updateAutoRead();
        closeWhenDone();
    }

    /** Stops reading from a client that does not accept its responses. */
    private void updateAutoRead() {
        if (closer.isLingering()) {
            return;
        }
        boolean autoRead = channel.isWritable();
        if (channel.config().isAutoRead() != autoRead) {
            channel.config().setAutoRead(autoRead);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) throws Exception {
        if (flushing) {
            // The socket accepted everything: frames that wait for room behind it can follow.
            hasRoomAgain = channel.isWritable();
        } else if (channel.isWritable() && !reading) {
            flushNow();
        }
        encoder().flowController().channelWritabilityChanged();
    }

    // The end of connections.

    private void streamClosed(Http2Stream stream) {
        Http2ClientStream clientStream = streamOf(stream);
        if (clientStream == null || !clientStream.isRequestComplete()) {
            streamIds.reset(stream);
        }
        if (clientStream != null) {
            clientStream.close();
        }
        awaitRequest();
    }

    /** Starts the idle timeout when no stream is open. */
    private void awaitRequest() {
        if (connection().numActiveStreams() == 0
                && hasSettings
                && !discarding
                && channel.isActive()) {
            if (!deadline.isWaiting()) {
                loopContext.addIdle(deadline, loopContext.time.nanos());
            }
            if (closeRequested) {
                flushLater();
            }
        }
    }

    private void idleTimeout() {
        if (!closer.isLingering() && stall.hasLeft()) {
            // The client still accepts its last response, slowly.
            loopContext.addIdle(deadline, System.nanoTime());
        } else {
            closeNow(Http2Error.NO_ERROR);
        }
    }

    /** Closes the connection after a GOAWAY, as far as the socket accepts it. */
    private void closeNow(Http2Error error) {
        ChannelHandlerContext to = ctx;
        if (closer.isLingering()) {
            channel.close();
        } else if (to != null && !discarding) {
            discarding = true;
            int last = connection().remote().lastStreamCreated();
            goAway(to, last, error.code(), Unpooled.EMPTY_BUFFER, to.newPromise());
            to.flush();
            to.close();
        }
    }

    /**
     * Announces the drain. Requests that are on their way are still served (RFC 9113 section 6.8).
     */
    @Override
    public void draining() {
        sendGoAway(Integer.MAX_VALUE);
    }

    @Override
    public void closeIfIdle() {
        closeRequested = true;
        sendGoAway(connection().remote().lastStreamCreated());
        closeWhenDone();
    }

    private void sendGoAway(int lastStream) {
        ChannelHandlerContext to = ctx;
        if (to != null && channel.isActive() && !discarding) {
            goAway(
                    to,
                    lastStream,
                    Http2Error.NO_ERROR.code(),
                    Unpooled.EMPTY_BUFFER,
                    to.newPromise());
            to.flush();
        }
    }

    private void closeWhenDone() {
        if (!closeRequested || discarding || ctx == null || connection().numActiveStreams() > 0) {
            return;
        }
        if (inputEnded) {
            closer.closeFlushed();
        } else {
            // At least the WINDOW_UPDATE for its last bytes is still to come.
            discarding = true;
            DeadlineList.remove(headDeadline);
            closer.linger();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
        // In TLS the client's last message is close_notify (RFC 8446 section 6.1).
        if (event instanceof ChannelInputShutdownEvent
                || event == SslCloseCompletionEvent.SUCCESS) {
            // Uploads cannot become complete now; responses are still sent.
            inputEnded = true;
            closeRequested = true;
            connection().forEachActiveStream(stream -> {
                Http2ClientStream clientStream = streamOf(stream);
                if (clientStream != null) {
                    clientStream.inputEnded();
                }
                return true;
            });
            if (closer.isLingering()) {
                closer.closeFlushed();
            } else {
                closeWhenDone();
            }
        }
        super.userEventTriggered(context, event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        discarding = true;
        super.channelInactive(context);
        DeadlineList.remove(deadline);
        DeadlineList.remove(headDeadline);
        DeadlineList.remove(stall);
        unflushed.clear();
        writableStreams.clear();
        if (loopContext.connections.remove(openSession)) {
            loopContext.tally.clientConnections--;
            loopContext.left(peer.getAddress());
            loopContext.buffers.detach(channel);
        }
    }

    /** Closes the connection; in most cases the client has reset it. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) throws Exception {
        if (Http2CodecUtil.getEmbeddedHttp2Exception(cause) != null) {
            super.exceptionCaught(context, cause);
            return;
        }
        if (!isOfThePeer(cause)) {
            ExchangeAccounting.unexpected(peer, cause);
        }
        context.close();
    }

    /** Reports whether the peer caused this: a reset, or broken TLS. */
    private static boolean isOfThePeer(Throwable cause) {
        Throwable first = cause instanceof DecoderException && cause.getCause() != null
                ? cause.getCause()
                : cause;
        return first instanceof IOException;
    }

    @Override
    protected void onConnectionError(
            ChannelHandlerContext context,
            boolean outbound,
            Throwable cause,
            @Nullable Http2Exception error) {
        if (error == null && !isOfThePeer(cause)) {
            ExchangeAccounting.unexpected(peer, cause);
        }
        if (error != null && error.error() == Http2Error.ENHANCE_YOUR_CALM && !discarding) {
            loopContext.tally.floods++;
        }
        discarding = true;
        super.onConnectionError(context, outbound, cause, error);
    }

    /**
     * Counts a stream error. A request that was refused before its exchange started is counted,
     * too.
     */
    @Override
    protected void onStreamError(
            ChannelHandlerContext context,
            boolean outbound,
            Throwable cause,
            Http2Exception.StreamException error) {
        Http2Stream stream = connection().stream(error.streamId());
        boolean isRequest = !outbound && stream != null && streamOf(stream) == null;
        if (isRequest || error instanceof Http2Exception.HeaderListSizeException) {
            loopContext.tally.requests++;
            loopContext.tally.malformed++;
            loopContext.tally.errors++;
            new ExchangeAccounting(loopContext, peer).malformed(0);
        }
        super.onStreamError(context, outbound, cause, error);
        if (!outbound
                && error.error() != Http2Error.REFUSED_STREAM
                && !budget.reset(System.nanoTime())) {
            refuseFlood(context);
        }
    }
}
