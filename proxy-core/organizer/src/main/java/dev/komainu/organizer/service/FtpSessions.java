package dev.komainu.organizer.service;

import dev.komainu.organizer.line.LinePeer;
import dev.komainu.organizer.line.LineStream;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.StreamListener;
import dev.komainu.organizer.line.tunnel.StreamRelay;
import dev.komainu.organizer.line.tunnel.TunnelKind;
import dev.komainu.organizer.route.MemberId;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The FTP sessions at the far end, beside the server. The control connection is a tunnel
 * {@code ftp}. Its response names a session, with which data connections are requested.
 * Thread-safe.
 *
 * <pre>
 * ftp-data      /SESSION/PORT    connects to the server; only the port it named last, once, and 1024 or above
 * ftp-listen    /SESSION         listens for the server; 100 reports the address, 200 that the server connected
 * </pre>
 *
 * A peer can reach only the server of its control connection, and only that server may connect:
 * this is not a relay to other hosts (RFC 2577 section 3).
 */
final class FtpSessions implements TunnelKind {

    /** The {@code :protocol} of control connections. */
    static final String CONTROL = "ftp";

    /** The {@code :protocol} of passive data connections. */
    static final String DATA = "ftp-data";

    /** The {@code :protocol} of active data connections. */
    static final String LISTEN = "ftp-listen";

    /** Field of the response to a control connection: {@code MEMBER/SESSION}. */
    static final AsciiString SESSION = AsciiString.cached("komainu-ftp-session");

    /**
     * Field of the interim response to an active data connection: the listening address in the
     * format of EPRT.
     */
    static final AsciiString LISTENS = AsciiString.cached("komainu-ftp-listens");

    private static final SecureRandom RANDOM = new SecureRandom();

    private final MemberId self;
    private final Map<String, Session> sessions = new ConcurrentHashMap<>();

    /**
     * A control connection.
     *
     * @param named the last port that the server named, not requested yet; 0: none
     */
    private record Session(InetSocketAddress server, InetAddress here, AtomicInteger named) {}

    FtpSessions(MemberId self) {
        this.self = self;
    }

    @Override
    public void dialled(Http2Headers request, Channel channel, Http2Headers response) {
        if (!(channel.remoteAddress() instanceof InetSocketAddress server)
                || !(channel.localAddress() instanceof InetSocketAddress here)) {
            return;
        }
        byte[] token = new byte[16];
        RANDOM.nextBytes(token);
        String name = HexFormat.of().formatHex(token);
        Session session = new Session(server, here.getAddress(), new AtomicInteger());
        sessions.put(name, session);
        channel.closeFuture().addListener(done -> sessions.remove(name));
        channel.pipeline().addLast(new ReplyObserver(session));
        response.add(SESSION, self.text() + "/" + name);
    }

    /** Returns the tunnel kind of passive data connections. */
    TunnelKind data() {
        return new TunnelKind() {
            @Override
            public @Nullable InetSocketAddress where(
                    Http2Headers request,
                    Function<Http2Headers, @Nullable InetSocketAddress> served) {
                String[] path = path(request);
                Session session = path.length == 3 ? sessions.get(path[1]) : null;
                if (session == null || !path[2].matches("[0-9]{1,5}")) {
                    return null;
                }
                int port = Integer.parseInt(path[2]);
                return port >= 1024 && session.named().compareAndSet(port, 0)
                        ? new InetSocketAddress(session.server().getAddress(), port)
                        : null;
            }

            @Override
            public void dialled(Http2Headers request, Channel channel, Http2Headers response) {
                // The bytes are relayed unchanged.
            }
        };
    }

    /** Accepts the tunnel of an active data connection. */
    StreamListener listen(Http2Headers request, boolean ends, LineStream stream, LinePeer peer) {
        String[] path = path(request);
        Session session = path.length == 2 ? sessions.get(path[1]) : null;
        if (session == null) {
            stream.head(new DefaultHttp2Headers().status("404"), true);
            stream.reset(Http2Error.NO_ERROR);
            return StreamListener.NOBODY;
        }
        return new ActiveDataStream(session, stream);
    }

    private static String[] path(Http2Headers request) {
        return String.valueOf(request.path()).split("/", 5);
    }

    /** A stream that waits for the server's connection. Used on its loop. */
    private static final class ActiveDataStream extends ForwardingListener
            implements DataListener.Listener {

        private final LineStream stream;
        private final DataListener dataListener;

        ActiveDataStream(Session session, LineStream stream) {
            super(NOBODY);
            this.stream = stream;
            this.dataListener = DataListener.open(
                    stream.loop(),
                    session.here(),
                    PortRange.ANY,
                    session.server().getAddress(),
                    this);
        }

        @Override
        public void listening(InetSocketAddress address) {
            stream.head(
                    new DefaultHttp2Headers()
                            .status("100")
                            .add(LISTENS, AsciiString.of(FtpAddress.extended(address))),
                    false);
        }

        @Override
        public void connected(Channel channel) {
            stream.head(new DefaultHttp2Headers().status("200"), false);
            StreamRelay relay = StreamRelay.answering(channel);
            setTarget(relay);
            relay.relay(stream);
        }

        @Override
        public void foreignConnection() {
            // The connection was closed.
        }

        @Override
        public void failed(ServiceRefusal reason) {
            stream.head(
                    new DefaultHttp2Headers()
                            .status(reason == ServiceRefusal.NO_DATA_PORT ? "503" : "504"),
                    true);
            stream.reset(Http2Error.NO_ERROR);
        }

        @Override
        public void ended(StreamEnd end) {
            dataListener.close();
            super.ended(end);
        }
    }

    /**
     * A handler that reads the ports that the server names. It changes nothing. Used on its
     * channel's loop.
     */
    private static final class ReplyObserver extends ChannelInboundHandlerAdapter {

        private final Session session;
        private final FtpLineSplitter lines = new FtpLineSplitter();
        private final FtpReplyParser replies = new FtpReplyParser();
        private boolean desynchronized;

        ReplyObserver(Session session) {
            this.session = session;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (!desynchronized) {
                lines.add(((ByteBuf) message).retainedDuplicate());
                desynchronized = !lines.split(this::line);
            }
            ctx.fireChannelRead(message);
        }

        private boolean line(ByteBuf line) {
            String text = FtpLineSplitter.text(line);
            line.release();
            switch (replies.next(text)) {
                case 227 -> session.named().set(FtpAddress.portOf227(text.substring(3)));
                case 229 -> session.named().set(FtpAddress.portOf229(text.substring(3)));
                default -> {}
            }
            return true;
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext ctx) {
            lines.release();
        }
    }
}
