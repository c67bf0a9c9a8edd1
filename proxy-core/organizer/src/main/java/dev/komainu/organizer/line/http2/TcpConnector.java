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

/** Makes a line's TCP connections. On the line's event loop. */
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
        LineTls secured = tls;
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
                        if (secured != null) {
                            channel.pipeline()
                                    .addLast(
                                            secured.forClient(channel.alloc(), to, settings),
                                            new Secured(caller));
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
                        if (secured == null) {
                            speak(caller, connected.channel());
                        }
                    }
                });
    }

    private void speak(Caller caller, Channel channel) {
        Http2LineConnection made = Http2LineConnection.make(false, settings, caller, false);
        channel.pipeline().addLast(made);
        caller.dialled(made);
    }

    /** Nobody speaks before both sides have shown who they are. */
    private final class Secured extends ChannelInboundHandlerAdapter {

        private final Caller caller;
        private String why = "closed during the TLS handshake";
        private boolean through;

        Secured(Caller caller) {
            this.caller = caller;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof SslHandshakeCompletionEvent done) {
                if (!done.isSuccess()) {
                    why = "TLS: " + done.cause().getMessage();
                    ctx.close();
                } else if (!LineTls.speaksHttp2(ctx.pipeline().get(SslHandler.class))) {
                    why = "TLS: the peer does not speak HTTP/2 (expected: h2 by ALPN)";
                    ctx.close();
                } else {
                    through = true;
                    speak(caller, ctx.channel());
                    ctx.pipeline().remove(this);
                }
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            if (!through) {
                through = true;
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
