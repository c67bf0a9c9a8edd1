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
 * FTP at the far end, beside the server. The control connection is a tunnel {@code ftp}; its answer
 * names a session, by which data connections are asked for. For all threads.
 *
 * <pre>
 *  ftp-data      /SESSION/PORT    dials the server; only the port it named last, once, and 1024 or above
 *  ftp-listen    /SESSION         listens for the server; 100 says where, 200 that it came
 * </pre>
 *
 * Whatever a peer asks for, only the control connection's own server is ever connected to, or let
 * in: this is no relay to anywhere else (RFC 2577 section 3).
 */
final class FtpSessions implements TunnelKind {

    /** The {@code :protocol} of control connections. */
    static final String CONTROL = "ftp";

    /** The {@code :protocol} of passive data connections. */
    static final String DATA = "ftp-data";

    /** The {@code :protocol} of active ones. */
    static final String LISTEN = "ftp-listen";

    /** In the answer to a control connection: {@code MEMBER/SESSION}. */
    static final AsciiString SESSION = AsciiString.cached("komainu-ftp-session");

    /**
     * In the interim answer to an active data connection: what it listens at, as EPRT writes it.
     */
    static final AsciiString LISTENS = AsciiString.cached("komainu-ftp-listens");

    private static final SecureRandom RANDOM = new SecureRandom();

    private final MemberId self;
    private final Map<String, Session> sessions = new ConcurrentHashMap<>();

    /**
     * A control connection. @param named the port the server named last, not asked for yet; 0: none
     */
    private record Session(InetSocketAddress server, InetAddress here, AtomicInteger named) {}

    FtpSessions(MemberId self) {
        this.self = self;
    }

    @Override
    public void dialled(Http2Headers asked, Channel channel, Http2Headers answer) {
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
        channel.pipeline().addLast(new Watch(session));
        answer.add(SESSION, self.text() + "/" + name);
    }

    /** Passive data connections. */
    TunnelKind data() {
        return new TunnelKind() {
            @Override
            public @Nullable InetSocketAddress where(
                    Http2Headers asked,
                    Function<Http2Headers, @Nullable InetSocketAddress> served) {
                String[] path = path(asked);
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
            public void dialled(Http2Headers asked, Channel channel, Http2Headers answer) {
                // It is bytes.
            }
        };
    }

    /** Active data connections. */
    StreamListener listen(Http2Headers asked, boolean ends, LineStream stream, LinePeer peer) {
        String[] path = path(asked);
        Session session = path.length == 2 ? sessions.get(path[1]) : null;
        if (session == null) {
            stream.head(new DefaultHttp2Headers().status("404"), true);
            stream.reset(Http2Error.NO_ERROR);
            return StreamListener.NOBODY;
        }
        return new Awaited(session, stream);
    }

    private static String[] path(Http2Headers asked) {
        return String.valueOf(asked.path()).split("/", 5);
    }

    /** A stream that waits for the server to come. On its loop. */
    private static final class Awaited extends ForwardingListener implements DataListener.Told {

        private final LineStream stream;
        private final DataListener door;

        Awaited(Session session, LineStream stream) {
            super(NOBODY);
            this.stream = stream;
            this.door = DataListener.open(
                    stream.loop(),
                    session.here(),
                    PortRange.ANY,
                    session.server().getAddress(),
                    this);
        }

        @Override
        public void listens(InetSocketAddress at) {
            stream.head(
                    new DefaultHttp2Headers()
                            .status("100")
                            .add(LISTENS, AsciiString.of(FtpAddress.extended(at))),
                    false);
        }

        @Override
        public void came(Channel channel) {
            stream.head(new DefaultHttp2Headers().status("200"), false);
            StreamRelay relay = StreamRelay.answering(channel);
            to(relay);
            relay.relay(stream);
        }

        @Override
        public void stranger() {
            // It was closed.
        }

        @Override
        public void over(ServiceRefusal why) {
            stream.head(
                    new DefaultHttp2Headers()
                            .status(why == ServiceRefusal.NO_DATA_PORT ? "503" : "504"),
                    true);
            stream.reset(Http2Error.NO_ERROR);
        }

        @Override
        public void ended(StreamEnd how) {
            door.close();
            super.ended(how);
        }
    }

    /** Hears where the server says it listens; changes nothing. On its channel's loop. */
    private static final class Watch extends ChannelInboundHandlerAdapter {

        private final Session session;
        private final FtpLineSplitter lines = new FtpLineSplitter();
        private final FtpReplyParser replies = new FtpReplyParser();
        private boolean lost;

        Watch(Session session) {
            this.session = session;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (!lost) {
                lines.add(((ByteBuf) message).retainedDuplicate());
                lost = !lines.cut(this::line);
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
