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
 * <p>Reads once, serves every complete request of that read, flushes once, as HTTP/1 does. Frames,
 * compression and windows are Netty's; what they may cost is bounded here:
 *
 * <table><caption>Limits</caption>
 * <tr><td>streams at once</td><td>{@code http2.max-streams}</td><td>RST_STREAM(REFUSED_STREAM)</td></tr>
 * <tr><td>fields of a request</td><td>{@value #MAX_FIELDS_BYTES} bytes with 32 for each field</td><td>431</td></tr>
 * <tr><td>compression tables</td><td>4,096 bytes each way, whatever the client allows</td><td></td></tr>
 * <tr><td>frames without a use, requests taken back</td><td>{@link ControlFrameBudget}</td><td>GOAWAY(ENHANCE_YOUR_CALM)</td></tr>
 * <tr><td>a head, from its first byte until it is whole</td><td>{@code connections.head-timeout}</td><td>GOAWAY</td></tr>
 * <tr><td>bytes not taken by the client's socket</td><td>the write watermark; then nothing more is read</td><td></td></tr>
 * </table>
 *
 * Owned by its event loop.
 */
final class Http2Session extends Http2ConnectionHandler implements ClientSession {

    /**
     * {@code RequestHead}'s 32 KB, and what 100 fields cost more in HPACK's arithmetic (RFC 7541
     * section 4.1).
     */
    private static final int FRAME_HEAD = 9;

    private static final int MAX_FIELDS_BYTES = RequestHead.MAX_BYTES + 4096;

    private static final int LEAST_OF_USE = 512;
    private static final AsciiString SET_COOKIE = AsciiString.cached("set-cookie");
    private static final AsciiString AGE = AsciiString.cached("age");

    private final LoopContext worker;
    private final Channel channel;
    private final InetSocketAddress peer;
    /** Whose word {@link #permitted} is. */
    private @Nullable RequestPolicy judgedBy;

    private boolean permitted;
    private final boolean absolute;
    /** Those in force when the connection began: its windows were told then. */
    private final ClientHttp2Settings streams;

    private final boolean overTls;
    private final Http2Connection.PropertyKey key;
    private final StreamIdCheck order;
    private final StallDetector stall;
    private final ClientConnectionClose farewell;
    private final ControlFrameBudget budget = new ControlFrameBudget(System.nanoTime());
    private final FrameInspection watch = new FrameInspection(budget);
    private final List<Http2ClientStream> unflushed = new ArrayList<>();
    private final List<Http2ClientStream> moved = new ArrayList<>();
    private final DeadlineList.Entry deadline = new DeadlineList.Entry() {
        @Override
        protected void expired() {
            timeUp();
        }
    };
    private final DeadlineList.Entry headDeadline = new DeadlineList.Entry() {
        @Override
        protected void expired() {
            worker.tally.headTimeouts++;
            closeNow(Http2Error.NO_ERROR);
        }
    };
    private @Nullable ChannelHandlerContext ctx;
    /** What the head deadline waits for, as {@link FrameInspection#open} numbers it. */
    private long openSince;

    private boolean heard;
    private boolean reading;
    private boolean flushing;
    private boolean roomAgain;
    private boolean flushIsDue;
    private boolean inputEnded;
    private boolean closing;
    private boolean goodbyeDue;
    /** What still comes is thrown away. */
    private boolean gone;

    private Http2Session(
            LoopContext worker,
            Channel channel,
            InetSocketAddress peer,
            Http2ConnectionDecoder decoder,
            Http2ConnectionEncoder encoder,
            Http2Settings settings,
            StreamIdCheck order) {
        super(decoder, encoder, settings, true);
        this.order = order;
        this.worker = worker;
        this.channel = channel;
        this.peer = peer;
        this.absolute = worker.policy.routes().isForward();
        this.streams = worker.policy.streams();
        this.overTls = channel.pipeline().get(SslHandler.class) != null;
        this.key = connection().newKey();
        this.farewell = new ClientConnectionClose(worker.lingering, channel, deadline);
        this.stall = new StallDetector(worker, channel) {
            @Override
            void stalled() {
                worker.tally.stalledWrites++;
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

    static Http2Session on(LoopContext worker, Channel channel, InetSocketAddress peer) {
        ClientHttp2Settings tuned = worker.policy.streams();
        Http2Settings settings = new Http2Settings()
                .maxConcurrentStreams(tuned.maxStreams())
                .initialWindowSize(tuned.windowBytes())
                .maxHeaderListSize(MAX_FIELDS_BYTES);
        DefaultHttp2Connection connection = new DefaultHttp2Connection(true);
        // In force from the first frame on: a client's acknowledgement may come late, or never.
        connection.remote().maxActiveStreams(tuned.maxStreams());
        connection
                .remote()
                .flowController(new DefaultHttp2RemoteFlowController(
                        connection, new UniformStreamByteDistributor(connection)));
        Http2HeadersEncoder fields = new DefaultHttp2HeadersEncoder(
                (name, value) -> SET_COOKIE.equals(name) || AGE.equals(name), true);
        Http2ConnectionEncoder encoder = new FrugalEncoder(
                new DefaultHttp2ConnectionEncoder(connection, new DefaultHttp2FrameWriter(fields)));
        StreamIdCheck order = new StreamIdCheck(
                new DefaultHttp2FrameReader(
                        new DefaultHttp2HeadersDecoder(true, true, MAX_FIELDS_BYTES)),
                connection);
        Http2ConnectionDecoder decoder =
                new DefaultHttp2ConnectionDecoder(connection, encoder, order);
        return new Http2Session(worker, channel, peer, decoder, encoder, settings, order);
    }

    /**
     * Lets no client make the table of what was sent to it larger than the default (RFC 9113
     * section 6.5.2 permits it).
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
        worker.tally.clientConnections++;
        worker.connections.add(this);
        // Many answers share this connection: no single origin tells what it can use.
        worker.buffers.attach(channel, UpstreamReads.NONE);
        openSince = watch.open();
        worker.heads.current().append(headDeadline, System.nanoTime());
        super.handlerAdded(context);
        int wider = worker.policy.streams().connectionWindowBytes()
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
        if (gone) {
            ReferenceCountUtil.release(message);
        } else if (watch.read((ByteBuf) message, System.nanoTime())) {
            super.channelRead(context, message);
        } else {
            ReferenceCountUtil.release(message);
            calm(context);
        }
    }

    private void calm(ChannelHandlerContext context) {
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
        expect();
        expectHead();
    }

    /** What is begun must become whole in time, however its bytes drip. */
    private void expectHead() {
        long open = heard ? watch.open() : 1;
        if (open == 0 || gone) {
            DeadlineList.remove(headDeadline);
        } else if (open != openSince || !headDeadline.isWaiting()) {
            worker.heads.current().append(headDeadline, System.nanoTime());
        }
        openSince = open;
    }

    /** What the frame decoder found whole. */
    private final class Requests extends Http2FrameAdapter {

        @Override
        public void onSettingsRead(ChannelHandlerContext context, Http2Settings settings) {
            heard = true;
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
            Http2ClientStream known = of(stream);
            if (known != null) {
                known.trailers(RequestHeadText.trailers(id, fields, worker.requestText));
            } else {
                request(stream, fields, ends);
            }
        }

        @Override
        public int onDataRead(
                ChannelHandlerContext context, int id, ByteBuf data, int padding, boolean ends) {
            Http2ClientStream known = of(connection().stream(id));
            return padding + (known == null ? data.readableBytes() : known.data(data, ends));
        }
    }

    private @Nullable Http2ClientStream of(Http2Stream stream) {
        return stream.getProperty(key);
    }

    private void request(Http2Stream stream, Http2Headers fields, boolean ends)
            throws Http2Exception {
        String wrong = write(fields, ends);
        if (wrong != null) {
            throw Http2Exception.streamError(stream.id(), Http2Error.PROTOCOL_ERROR, wrong);
        }
        Http2ClientStream asking = new Http2ClientStream(this, worker, stream);
        stream.setProperty(key, asking);
        DeadlineList.remove(deadline);
        if (!ends && hardlyHasBody(fields)) {
            asking.hold(fields);
        } else {
            ask(asking, ends);
        }
    }

    private @Nullable String write(Http2Headers fields, boolean ends) {
        worker.requestText.clear();
        return RequestHeadText.write(fields, ends, absolute, worker.requestText);
    }

    /** A body means nothing to these methods (RFC 9110 section 9.3.1); one of no bytes is none. */
    private static boolean hardlyHasBody(Http2Headers fields) {
        CharSequence method = fields.method();
        return method != null
                && (AsciiString.contentEquals("GET", method)
                        || AsciiString.contentEquals("HEAD", method))
                && !fields.contains("content-length")
                && !fields.contains("expect");
    }

    /** What was held is known now to have a body, or none. */
    void ask(Http2ClientStream asking, Http2Headers held, boolean ends) {
        // It was written before, and found in order.
        write(held, ends);
        ask(asking, ends);
    }

    /** Reads what is written in the loop's scratch. */
    private void ask(Http2ClientStream asking, boolean ends) {
        ByteBuf text = worker.requestText;
        int size = text.readableBytes();
        RequestHead head = worker.head;
        head.setReceivedOver(overTls, true);
        switch (head.read(text)) {
            case COMPLETE -> asking.asked(head, size, ends);
            case FAULT -> asking.refused(head.fault(), ends);
            case INCOMPLETE ->
                throw new IllegalStateException("A request written by this program is not whole");
        }
    }

    // Frames out, as streams ask for them.

    /**
     * Whom a reload shut out gets GOAWAY beside the next answer; its other requests are refused, or
     * end as they began.
     */
    boolean permitted() {
        RequestPolicy now = worker.policy;
        if (judgedBy != now) {
            boolean before = judgedBy == null || permitted;
            judgedBy = now;
            permitted = now.clients().permits(peer.getAddress());
            if (before && !permitted && !closing) {
                closing = true;
                goodbyeDue = true;
                flushLater();
            }
        }
        return permitted;
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
            // The stream is closed by its owner, at once: nothing waits for the socket there.
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

    void reset(Http2Stream stream, Http2Error why) {
        ChannelHandlerContext to = ctx;
        if (to != null) {
            resetStream(to, stream.id(), why.code(), to.newPromise());
        }
    }

    /**
     * Sends what the windows allow, then resets: the client must see that its answer is incomplete.
     */
    void breakOff(Http2Stream stream) {
        try {
            encoder().flowController().writePendingBytes();
        } catch (Http2Exception e) {
            // The connection itself is at fault; the reset below ends at least this stream.
        }
        reset(stream, Http2Error.INTERNAL_ERROR);
        flushLater();
    }

    /**
     * A DATA frame went out, in two buffers. Tiny ones answer windows opened by the byte: they earn
     * nothing.
     */
    void sentData(int bytes) {
        stall.wrote(FRAME_HEAD);
        stall.wrote(bytes);
        if (bytes >= LEAST_OF_USE) {
            budget.sent();
        }
    }

    /** The client opens no window for this stream. */
    void stalled(Http2Stream stream) {
        worker.tally.stalledWrites++;
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

    /** Lets the client send more on this stream before it hears of what was taken. */
    void widen(Http2Stream stream, int bytes) {
        try {
            decoder().flowController().incrementWindowSize(stream, bytes);
        } catch (Http2Exception e) {
            throw new IllegalStateException(e); // beyond 2^31 - 1: settings do not reach so far
        }
        flushLater();
    }

    void unflushed(Http2ClientStream stream) {
        unflushed.add(stream);
    }

    void moved(Http2ClientStream stream) {
        moved.add(stream);
    }

    void flushLater() {
        if (!reading && !flushIsDue) {
            flushIsDue = true;
            worker.flushLater(this);
        }
    }

    @Override
    public void flushNow() {
        flushIsDue = false;
        ChannelHandlerContext to = ctx;
        if (to == null || flushing || farewell.isLingering()) {
            return;
        }
        if (goodbyeDue) {
            goodbyeDue = false;
            sayGoodbye(connection().remote().lastStreamCreated());
        }
        flushing = true;
        for (int i = 0; i < unflushed.size(); i++) {
            unflushed.get(i).flushing();
        }
        do {
            roomAgain = false;
            flush(to);
        } while (roomAgain);
        long now = unflushed.isEmpty() ? 0 : System.nanoTime();
        for (int i = 0; i < unflushed.size(); i++) {
            unflushed.get(i).flushed(now);
        }
        unflushed.clear();
        stall.flushed();
        flushing = false;
        for (int i = 0; i < moved.size(); i++) {
            moved.get(i).pump();
        }
        moved.clear();
        listen();
        closeWhenDone();
    }

    /** A client that does not take its answers is heard no further. */
    private void listen() {
        if (farewell.isLingering()) {
            return;
        }
        boolean listens = channel.isWritable();
        if (channel.config().isAutoRead() != listens) {
            channel.config().setAutoRead(listens);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) throws Exception {
        if (flushing) {
            // The socket took everything: what waits for room behind it can follow.
            roomAgain = channel.isWritable();
        } else if (channel.isWritable() && !reading) {
            flushNow();
        }
        encoder().flowController().channelWritabilityChanged();
    }

    // How connections end.

    private void streamClosed(Http2Stream stream) {
        Http2ClientStream known = of(stream);
        if (known == null || !known.isRequestComplete()) {
            order.reset(stream);
        }
        if (known != null) {
            known.close();
        }
        expect();
    }

    /** Without a stream the connection waits for its client. */
    private void expect() {
        if (connection().numActiveStreams() == 0 && heard && !gone && channel.isActive()) {
            if (!deadline.isWaiting()) {
                worker.idles(deadline, System.nanoTime());
            }
            if (closing) {
                flushLater();
            }
        }
    }

    private void timeUp() {
        if (!farewell.isLingering() && stall.hasLeft()) {
            // It still takes its last answer, slowly.
            worker.idles(deadline, System.nanoTime());
        } else {
            closeNow(Http2Error.NO_ERROR);
        }
    }

    /** Says why as far as the socket takes it. */
    private void closeNow(Http2Error why) {
        ChannelHandlerContext to = ctx;
        if (farewell.isLingering()) {
            channel.close();
        } else if (to != null && !gone) {
            gone = true;
            int last = connection().remote().lastStreamCreated();
            goAway(to, last, why.code(), Unpooled.EMPTY_BUFFER, to.newPromise());
            to.flush();
            to.close();
        }
    }

    /** Requests that are on their way are still served (RFC 9113 section 6.8). */
    @Override
    public void draining() {
        sayGoodbye(Integer.MAX_VALUE);
    }

    @Override
    public void closeIfIdle() {
        closing = true;
        sayGoodbye(connection().remote().lastStreamCreated());
        closeWhenDone();
    }

    private void sayGoodbye(int lastStream) {
        ChannelHandlerContext to = ctx;
        if (to != null && channel.isActive() && !gone) {
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
        if (!closing || gone || ctx == null || connection().numActiveStreams() > 0) {
            return;
        }
        if (inputEnded) {
            farewell.closeFlushed();
        } else {
            // The WINDOW_UPDATE for its last bytes is still to come, at least.
            gone = true;
            DeadlineList.remove(headDeadline);
            farewell.linger();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
        // In TLS the client's last word is close_notify (RFC 8446 section 6.1).
        if (event instanceof ChannelInputShutdownEvent
                || event == SslCloseCompletionEvent.SUCCESS) {
            // Uploads can never be complete now; answers still go out.
            inputEnded = true;
            closing = true;
            connection().forEachActiveStream(stream -> {
                Http2ClientStream known = of(stream);
                if (known != null) {
                    known.inputEnded();
                }
                return true;
            });
            if (farewell.isLingering()) {
                farewell.closeFlushed();
            } else {
                closeWhenDone();
            }
        }
        super.userEventTriggered(context, event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) throws Exception {
        gone = true;
        super.channelInactive(context);
        DeadlineList.remove(deadline);
        DeadlineList.remove(headDeadline);
        DeadlineList.remove(stall);
        unflushed.clear();
        moved.clear();
        if (worker.connections.remove(this)) {
            worker.tally.clientConnections--;
            worker.left(peer.getAddress());
            worker.buffers.detach(channel);
        }
    }

    /** A reset by the client, mostly. */
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

    /** A reset, or TLS that is broken. */
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
            @Nullable Http2Exception told) {
        if (told == null && !isOfThePeer(cause)) {
            ExchangeAccounting.unexpected(peer, cause);
        }
        if (told != null && told.error() == Http2Error.ENHANCE_YOUR_CALM && !gone) {
            worker.tally.floods++;
        }
        gone = true;
        super.onConnectionError(context, outbound, cause, told);
    }

    /** A request that was refused before it became one is counted all the same. */
    @Override
    protected void onStreamError(
            ChannelHandlerContext context,
            boolean outbound,
            Throwable cause,
            Http2Exception.StreamException told) {
        Http2Stream stream = connection().stream(told.streamId());
        boolean isRequest = !outbound && stream != null && of(stream) == null;
        if (isRequest || told instanceof Http2Exception.HeaderListSizeException) {
            worker.tally.requests++;
            worker.tally.malformed++;
            worker.tally.errors++;
            new ExchangeAccounting(worker, peer).malformed(0);
        }
        super.onStreamError(context, outbound, cause, told);
        if (!outbound
                && told.error() != Http2Error.REFUSED_STREAM
                && !budget.reset(System.nanoTime())) {
            calm(context);
        }
    }
}
