package dev.komainu.organizer.line;

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
final class TcpDialling implements Strand.Dialling {

    private final EventLoop loop;
    private final LineAddress to;
    private final LineSettings settings;
    private final @Nullable LineTls tls;

    TcpDialling(EventLoop loop, LineAddress to, LineSettings settings, @Nullable LineTls tls) {
        this.loop = loop;
        this.to = to;
        this.settings = settings;
        this.tls = tls;
    }

    @Override
    public void dial(Strand strand) {
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
                                    .addLast(secured.forClient(channel.alloc(), to, settings), new Secured(strand));
                        }
                    }
                })
                .remoteAddress(to.socket())
                .connect()
                .addListener((ChannelFuture connected) -> {
                    if (!connected.isSuccess()) {
                        strand.failed(SocketFault.inWords(connected.cause()));
                    } else {
                        TcpFigures.tune(connected.channel(), settings);
                        if (secured == null) {
                            speak(strand, connected.channel());
                        }
                    }
                });
    }

    private void speak(Strand strand, Channel channel) {
        LineConnection made = LineConnection.make(false, settings, strand, false);
        channel.pipeline().addLast(made);
        strand.dialled(made);
    }

    /** Nobody speaks before both sides have shown who they are. */
    private final class Secured extends ChannelInboundHandlerAdapter {

        private final Strand strand;
        private String why = "closed during the TLS handshake";
        private boolean through;

        Secured(Strand strand) {
            this.strand = strand;
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
                    speak(strand, ctx.channel());
                    ctx.pipeline().remove(this);
                }
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            if (!through) {
                through = true;
                strand.failed(why);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            why = "TLS: " + SocketFault.inWords(cause);
            ctx.close();
        }
    }
}
