package dev.komainu.organizer.service;

import dev.komainu.organizer.line.tunnel.TunnelAcceptor;
import dev.komainu.organizer.route.MemberId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http2.Http2Headers;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The handler of an FTP client's control connection. It relays lines in both directions and
 * replaces their addresses by ones that the receiver can reach. Before a command for a data
 * connection is forwarded, this end (PASV, EPSV) or the far end (PORT, EPRT) already listens; later
 * commands wait until then. Used on its connection's loop.
 *
 * <p>A client may name only its own address, and only that address may connect (RFC 2577). Commands
 * that the handler cannot follow, such as those for TLS, are answered here. Such a reply is sent in
 * order with the server's replies.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed write or close is reported to the handlers
final class FtpControlHandler extends ChannelDuplexHandler {

    private final ServiceClientConnection client;
    private final InetAddress here;
    private final InetAddress there;
    private final FtpLineSplitter commands = new FtpLineSplitter();
    private final FtpReplyWriter replies = new FtpReplyWriter(this::rewrite);
    private @Nullable MemberId member;
    private String session = "";
    private boolean waiting;
    private boolean inputEnded;
    private @Nullable FtpPassiveConnection passive;
    private @Nullable FtpActiveConnection listening;
    private @Nullable ChannelHandlerContext context;

    /**
     * Creates a handler.
     *
     * @param here the local address of the client's connection
     * @param there the client's address
     */
    FtpControlHandler(ServiceClientConnection client, InetAddress here, InetAddress there) {
        this.client = client;
        this.here = here;
        this.there = there;
    }

    /** Adds a handler to a new connection and requests its service. */
    static void open(ServiceClientConnection client) {
        Channel channel = client.channel();
        if (!(channel.localAddress() instanceof InetSocketAddress here)
                || !(channel.remoteAddress() instanceof InetSocketAddress there)) {
            channel.close();
            return;
        }
        FtpControlHandler handler =
                new FtpControlHandler(client, here.getAddress(), there.getAddress());
        channel.pipeline().addLast(handler);
        client.open(
                TunnelAcceptor.ask(FtpSessions.CONTROL, client.entry().service()),
                (answer, stream) -> handler.opened(answer),
                () -> {},
                "421 The service is not available\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    private void opened(Http2Headers answer) {
        String named = String.valueOf(answer.get(FtpSessions.SESSION));
        int slash = named.indexOf('/');
        if (slash > 0) {
            member = new MemberId(named.substring(0, slash));
            session = named.substring(slash + 1);
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        commands.release();
        replies.release();
        dropData();
    }

    // Commands of the client.

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        commands.add((ByteBuf) message);
        proceed(ctx);
    }

    private void proceed(ChannelHandlerContext ctx) {
        if (!commands.split(line -> command(ctx, line))) {
            client.refuse(ServiceRefusal.MALFORMED_LINE, new byte[0]);
        }
    }

    /** Processes the commands that waited. */
    private void resume() {
        waiting = false;
        ChannelHandlerContext ctx = context;
        if (ctx != null && ctx.channel().isActive()) {
            proceed(ctx);
            ctx.fireChannelReadComplete();
            if (inputEnded && !waiting) {
                ctx.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            }
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent && waiting) {
            inputEnded = true;
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    /** Processes one command and reports whether the next one may be processed. */
    private boolean command(ChannelHandlerContext ctx, ByteBuf received) {
        ByteBuf line = withoutTelnet(received);
        String text = FtpLineSplitter.text(line);
        int blank = text.indexOf(' ');
        String verb = (blank < 0 ? text : text.substring(0, blank)).toUpperCase(Locale.ROOT);
        String argument = blank < 0 ? "" : text.substring(blank + 1).strip();
        switch (verb) {
            case "PORT", "EPRT" -> {
                line.release();
                active(argument, verb.equals("EPRT"));
            }
            case "PASV", "EPSV" -> {
                boolean extended = verb.equals("EPSV");
                boolean four = here instanceof Inet4Address;
                if (extended && argument.equalsIgnoreCase("ALL")) {
                    forward(ctx, line);
                } else if (extended && !argument.isEmpty() && !argument.equals(four ? "1" : "2")) {
                    line.release();
                    refuse(
                            ServiceRefusal.UNSUPPORTED,
                            "522 Network protocol not supported, use (" + (four ? "1" : "2") + ")");
                } else if (!extended && !four) {
                    line.release();
                    refuse(ServiceRefusal.UNSUPPORTED, "425 PASV does not support IPv6, use EPSV");
                } else {
                    line.release();
                    passive(ctx, extended);
                }
            }
            case "AUTH" -> {
                line.release();
                refuse(
                        ServiceRefusal.ENCRYPTION,
                        "534 Encrypted control connections are not supported, they hide the data connections");
            }
            case "LPRT", "LPSV" -> {
                line.release();
                refuse(ServiceRefusal.UNSUPPORTED, "502 Command not implemented, use EPRT or EPSV");
            }
            default -> forward(ctx, line);
        }
        return !waiting;
    }

    /**
     * Removes Telnet control bytes before a command, as clients send them before ABOR (RFC 959
     * section 4.1.3). Some of them are urgent data, which a line cannot carry.
     */
    private static ByteBuf withoutTelnet(ByteBuf line) {
        while (line.isReadable() && (line.getByte(line.readerIndex()) & 0xff) >= 0xf0) {
            line.skipBytes(1);
        }
        return line;
    }

    private void forward(ChannelHandlerContext ctx, ByteBuf line) {
        replies.commandSent();
        ctx.fireChannelRead(line);
    }

    private void forward(ChannelHandlerContext ctx, String line) {
        forward(ctx, FtpReplyWriter.bytes(line));
    }

    // Replies, of the server and of this end.

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (!(message instanceof ByteBuf bytes) || !bytes.isReadable()) {
            ctx.write(message, promise);
            return;
        }
        if (!replies.serverData(bytes, ctx::write)) {
            client.counts().refused(ServiceRefusal.MALFORMED_LINE);
            ServiceClientConnection.abort(ctx.channel());
        }
        // Less than a line is kept: the server may send more.
        ctx.write(Unpooled.EMPTY_BUFFER, promise);
    }

    /**
     * Returns the reply with an address that the client can reach; null: the reply stays unchanged.
     */
    private @Nullable String rewrite(int code, String text) {
        FtpPassiveConnection data = passive;
        int port = code == 227
                ? FtpAddress.portOf227(text.substring(3))
                : code == 229 ? FtpAddress.portOf229(text.substring(3)) : 0;
        return data == null || port == 0 ? null : data.rewrite(port);
    }

    private void refuse(ServiceRefusal reason, String text) {
        client.counts().refused(reason);
        ChannelHandlerContext ctx = context;
        if (ctx != null) {
            replies.reply(text, ctx::write);
            ctx.flush();
        }
    }

    // Data connections.

    private void dropData() {
        FtpPassiveConnection data = passive;
        passive = null;
        if (data != null) {
            data.cancel();
        }
        FtpActiveConnection active = listening;
        listening = null;
        if (active != null) {
            active.cancel();
        }
    }

    private Http2Headers dataRequest(String protocol, String suffix) {
        return TunnelAcceptor.ask(protocol, client.entry().service()).path("/" + session + suffix);
    }

    private void passive(ChannelHandlerContext ctx, boolean extended) {
        dropData();
        waiting = true;
        passive = new FtpPassiveConnection(
                client,
                here,
                there,
                member,
                port -> dataRequest(FtpSessions.DATA, "/" + port),
                extended,
                new FtpPassiveConnection.Listener() {
                    @Override
                    public void listening() {
                        forward(ctx, extended ? "EPSV" : "PASV");
                        resume();
                    }

                    @Override
                    public void failed(ServiceRefusal reason) {
                        passive = null;
                        refuse(reason, "425 Can't open data connection");
                        resume();
                    }
                });
    }

    private void active(String argument, boolean extended) {
        InetSocketAddress named =
                extended ? FtpAddress.ofEprt(argument) : FtpAddress.ofPort(argument);
        MemberId owner = member;
        if (named == null) {
            refuse(ServiceRefusal.MALFORMED_LINE, "501 Not an address");
        } else if (!named.getAddress().equals(there) || named.getPort() < 1024) {
            refuse(
                    ServiceRefusal.FOREIGN_ADDRESS,
                    "504 Only your own address and ports from 1024 on are allowed");
        } else if (owner == null) {
            refuse(ServiceRefusal.NO_DATA_PORT, "425 Can't open data connection");
        } else {
            dropData();
            waiting = true;
            listening = new FtpActiveConnection(
                    client, named, here, new FtpActiveConnection.Listener() {
                        @Override
                        public void listening(InetSocketAddress farAddress) {
                            ChannelHandlerContext ctx = context;
                            if (ctx != null) {
                                forward(
                                        ctx,
                                        farAddress.getAddress() instanceof Inet4Address
                                                ? "PORT " + FtpAddress.six(farAddress)
                                                : "EPRT " + FtpAddress.extended(farAddress));
                            }
                            resume();
                        }

                        @Override
                        public void failed() {
                            refuse(ServiceRefusal.NO_DATA_PORT, "425 Can't open data connection");
                            resume();
                        }
                    });
            listening.request(owner, dataRequest(FtpSessions.LISTEN, ""));
        }
    }
}
