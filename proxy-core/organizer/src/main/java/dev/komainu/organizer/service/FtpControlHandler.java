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
 * An FTP client's control connection: passes lines on both ways, and where they name addresses,
 * puts those that can be reached from there. Before a command that needs a data connection goes on,
 * this end (PASV, EPSV) or the far end (PORT, EPRT) listens already; until then later commands
 * wait. On its connection's loop.
 *
 * <p>A client may name its own address only, and be connected from its own only (RFC 2577).
 * Commands that nobody could follow, TLS above all, are answered here. Such an answer takes its
 * turn among the server's.
 */
final class FtpControlHandler extends ChannelDuplexHandler {

    private final ServiceClientConnection client;
    private final InetAddress here;
    private final InetAddress there;
    private final FtpLineSplitter commands = new FtpLineSplitter();
    private final FtpReplyWriter answers = new FtpReplyWriter(this::instead);
    private @Nullable MemberId member;
    private String session = "";
    private boolean waiting;
    private boolean inputEnded;
    private @Nullable FtpPassiveConnection passive;
    private @Nullable FtpActiveConnection listening;
    private @Nullable ChannelHandlerContext context;

    /** @param here the client's address for this end @param there the client's own */
    FtpControlHandler(ServiceClientConnection client, InetAddress here, InetAddress there) {
        this.client = client;
        this.here = here;
        this.there = there;
    }

    /** Adds itself to a new connection and asks for its service. */
    static void open(ServiceClientConnection client) {
        Channel channel = client.channel();
        if (!(channel.localAddress() instanceof InetSocketAddress here)
                || !(channel.remoteAddress() instanceof InetSocketAddress there)) {
            channel.close();
            return;
        }
        FtpControlHandler door =
                new FtpControlHandler(client, here.getAddress(), there.getAddress());
        channel.pipeline().addLast(door);
        client.open(
                TunnelAcceptor.ask(FtpSessions.CONTROL, client.entry().service()),
                (answer, stream) -> door.opened(answer),
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
        answers.release();
        dropData();
    }

    // The client's commands.

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        commands.add((ByteBuf) message);
        proceed(ctx);
    }

    private void proceed(ChannelHandlerContext ctx) {
        if (!commands.cut(line -> command(ctx, line))) {
            client.refuse(ServiceRefusal.MALFORMED_LINE, new byte[0]);
        }
    }

    /** What waited goes on. */
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

    /** @return whether the next command may be looked at */
    private boolean command(ChannelHandlerContext ctx, ByteBuf whole) {
        ByteBuf line = withoutTelnet(whole);
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
                    refuse(ServiceRefusal.UNSUPPORTED, "425 PASV knows no IPv6, use EPSV");
                } else {
                    line.release();
                    passive(ctx, extended);
                }
            }
            case "AUTH" -> {
                line.release();
                refuse(
                        ServiceRefusal.ENCRYPTION,
                        "534 An encrypted control connection cannot be carried, for it hides the data connections");
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
     * Telnet's own bytes before a command, as clients send before ABOR (RFC 959 section 4.1.3),
     * stay behind: part of them is urgent data, which a line does not carry.
     */
    private static ByteBuf withoutTelnet(ByteBuf line) {
        while (line.isReadable() && (line.getByte(line.readerIndex()) & 0xff) >= 0xf0) {
            line.skipBytes(1);
        }
        return line;
    }

    private void forward(ChannelHandlerContext ctx, ByteBuf line) {
        answers.asked();
        ctx.fireChannelRead(line);
    }

    private void forward(ChannelHandlerContext ctx, String line) {
        forward(ctx, FtpReplyWriter.bytes(line));
    }

    // Answers, of the server and of this end.

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (!(message instanceof ByteBuf bytes) || !bytes.isReadable()) {
            ctx.write(message, promise);
            return;
        }
        if (!answers.heard(bytes, ctx::write)) {
            client.counts().refused(ServiceRefusal.MALFORMED_LINE);
            ServiceClientConnection.breakOff(ctx.channel());
        }
        // What is held is less than a line: the server may send more of it.
        ctx.write(Unpooled.EMPTY_BUFFER, promise);
    }

    /** Where the server listens, the client cannot connect to. */
    private @Nullable String instead(int code, String text) {
        FtpPassiveConnection data = passive;
        int port = code == 227
                ? FtpAddress.portOf227(text.substring(3))
                : code == 229 ? FtpAddress.portOf229(text.substring(3)) : 0;
        return data == null || port == 0 ? null : data.instead(port);
    }

    private void refuse(ServiceRefusal why, String text) {
        client.counts().refused(why);
        ChannelHandlerContext ctx = context;
        if (ctx != null) {
            answers.say(text, ctx::write);
            ctx.flush();
        }
    }

    // Data connections.

    private void dropData() {
        FtpPassiveConnection data = passive;
        passive = null;
        if (data != null) {
            data.giveUp();
        }
        FtpActiveConnection asked = listening;
        listening = null;
        if (asked != null) {
            asked.giveUp();
        }
    }

    private Http2Headers asks(String protocol, String behind) {
        return TunnelAcceptor.ask(protocol, client.entry().service()).path("/" + session + behind);
    }

    private void passive(ChannelHandlerContext ctx, boolean extended) {
        dropData();
        waiting = true;
        passive = new FtpPassiveConnection(
                client,
                here,
                there,
                member,
                port -> asks(FtpSessions.DATA, "/" + port),
                extended,
                new FtpPassiveConnection.Told() {
                    @Override
                    public void listens() {
                        forward(ctx, extended ? "EPSV" : "PASV");
                        resume();
                    }

                    @Override
                    public void failed(ServiceRefusal why) {
                        passive = null;
                        refuse(why, "425 Can't open data connection");
                        resume();
                    }
                });
    }

    private void active(String argument, boolean extended) {
        InetSocketAddress named =
                extended ? FtpAddress.ofEprt(argument) : FtpAddress.ofPort(argument);
        MemberId at = member;
        if (named == null) {
            refuse(ServiceRefusal.MALFORMED_LINE, "501 Not an address");
        } else if (!named.getAddress().equals(there) || named.getPort() < 1024) {
            refuse(
                    ServiceRefusal.FOREIGN_ADDRESS,
                    "504 Only your own address, and no port below 1024");
        } else if (at == null) {
            refuse(ServiceRefusal.NO_DATA_PORT, "425 Can't open data connection");
        } else {
            dropData();
            waiting = true;
            listening =
                    new FtpActiveConnection(client, named, here, new FtpActiveConnection.Told() {
                        @Override
                        public void listens(InetSocketAddress far) {
                            ChannelHandlerContext ctx = context;
                            if (ctx != null) {
                                forward(
                                        ctx,
                                        far.getAddress() instanceof Inet4Address
                                                ? "PORT " + FtpAddress.six(far)
                                                : "EPRT " + FtpAddress.extended(far));
                            }
                            resume();
                        }

                        @Override
                        public void failed() {
                            refuse(ServiceRefusal.NO_DATA_PORT, "425 Can't open data connection");
                            resume();
                        }
                    });
            listening.ask(at, asks(FtpSessions.LISTEN, ""));
        }
    }
}
