package dev.komainu.organizer.line.http2;

import dev.komainu.organizer.line.LineAddress;
import dev.komainu.organizer.line.LineBuffers;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.line.connection.LineConnector;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import org.jspecify.annotations.Nullable;

/** Connector of a line's TCP connections. On the line's event loop. */
// A failed close changes nothing: channelInactive reports the end.
@SuppressWarnings("FutureReturnValueIgnored")
public final class TcpConnector implements LineConnector {

    private final EventLoop loop;
    private final LineAddress to;
    private final LineSettings settings;
    private final @Nullable LineTls tls;

    public TcpConnector(
            EventLoop loop, LineAddress to, LineSettings settings, @Nullable LineTls tls) {
        this.loop = loop;
        this.to = to;
        this.settings = settings;
        this.tls = tls;
    }

    @Override
    public void dial(Caller caller) {
        LineTls lineTls = tls;
        boolean epoll = loop instanceof IoEventLoop io && io.isIoType(EpollIoHandler.class);
        new Bootstrap()
                .group(loop)
                .channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        settings.connectTimeout().toMillis())
                .option(ChannelOption.ALLOCATOR, LineBuffers.ALLOCATOR)
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, LineBuffers.WATER_MARK)
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (lineTls != null) {
                            channel.pipeline()
                                    .addLast(
                                            lineTls.forClient(channel.alloc(), to, settings),
                                            new HandshakeGate(caller, lineTls));
                        }
                    }
                })
                .remoteAddress(to.socket())
                .connect()
                .addListener((ChannelFuture connected) -> {
                    if (!connected.isSuccess()) {
                        caller.failed(SocketFault.inWords(connected.cause()));
                    } else {
                        TcpSocket.tune(connected.channel(), settings);
                        if (lineTls == null) {
                            addConnection(caller, connected.channel());
                        }
                    }
                });
    }

    private void addConnection(Caller caller, Channel channel) {
        Http2LineConnection created = Http2LineConnection.make(false, settings, caller, false);
        channel.pipeline().addLast(created);
        caller.dialled(created);
    }

    /** Gate in front of a connection: no message is sent before both sides are authenticated. */
    private final class HandshakeGate extends ChannelInboundHandlerAdapter {

        private final Caller caller;
        private final LineTls lineTls;
        private String why = "closed during the TLS handshake";
        private boolean isCompleted;

        HandshakeGate(Caller caller, LineTls lineTls) {
            this.caller = caller;
            this.lineTls = lineTls;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof SslHandshakeCompletionEvent handshake) {
                SslHandler handler = ctx.pipeline().get(SslHandler.class);
                if (!handshake.isSuccess()) {
                    why = "TLS: " + handshake.cause().getMessage();
                    ctx.close();
                } else if (!lineTls.admits(handler.engine().getSession(), ctx.channel())) {
                    why = "TLS: the peer is no member any more";
                    ctx.close();
                } else if (!LineTls.speaksHttp2(handler)) {
                    why = "TLS: the peer does not speak HTTP/2 (expected: h2 by ALPN)";
                    ctx.close();
                } else {
                    isCompleted = true;
                    addConnection(caller, ctx.channel());
                    ctx.pipeline().remove(this);
                }
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            if (!isCompleted) {
                isCompleted = true;
                caller.failed(why);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            why = "TLS: " + SocketFault.inWords(cause);
            ctx.close();
        }
    }
}
