package dev.komainu.bench.line;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * An agent with connections of its own: a new one for each object (HTTP/1.0), or a persistent one
 * (HTTP/1.1).
 */
// A failed write closes the channel, and channelInactive reports it.
@SuppressWarnings("FutureReturnValueIgnored")
final class Http1Agent implements BenchAgent {

    private static final byte[] HEAD_END = {'\r', '\n', '\r', '\n'};
    private static final String CONTENT_LENGTH = "content-length: ";

    private final EventLoop loop;
    private final InetSocketAddress to;
    private final boolean persistent;
    private @Nullable Channel connection;
    private @Nullable Response current;

    Http1Agent(EventLoop loop, InetSocketAddress to, boolean persistent) {
        this.loop = loop;
        this.to = to;
        this.persistent = persistent;
    }

    @Override
    public void request(Round round) {
        Response response = new Response(round);
        current = response;
        Channel channel = connection;
        if (channel != null && channel.isActive()) {
            send(channel, round);
            return;
        }
        new Bootstrap()
                .group(loop)
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new ResponseHandler())
                .connect(to)
                .addListener((ChannelFuture connected) -> {
                    if (connected.isSuccess()) {
                        connection = connected.channel();
                        send(connected.channel(), round);
                    } else {
                        response.end(-1, String.valueOf(connected.cause().getMessage()));
                    }
                });
    }

    private void send(Channel channel, Round round) {
        channel.writeAndFlush(Unpooled.copiedBuffer(
                "GET /object/1/" + round.bytes() + "/fresh HTTP/1." + (persistent ? 1 : 0)
                        + "\r\nHost: " + to.getHostString() + "\r\n\r\n",
                StandardCharsets.US_ASCII));
    }

    private final class ResponseHandler extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            Response to = current;
            if (to != null) {
                to.onBytes(ctx.channel(), bytes);
            }
            bytes.release();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            Response to = current;
            if (to != null && ctx.channel() == connection) {
                to.end(-1, "connection closed before the end of the response");
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }

    /** One response: its head, then as many bytes as its Content-Length. */
    private final class Response {

        private final Round round;
        private final StringBuilder head = new StringBuilder(256);
        private long expected = -1;
        private int received;

        Response(Round round) {
            this.round = round;
        }

        void onBytes(Channel from, ByteBuf bytes) {
            while (expected < 0 && bytes.isReadable()) {
                head.append((char) bytes.readByte());
                int length = head.length();
                if (length >= HEAD_END.length
                        && head.indexOf("\r\n\r\n", length - HEAD_END.length) >= 0) {
                    expected = length();
                }
            }
            received += bytes.readableBytes();
            if (expected >= 0 && received >= expected) {
                if (!persistent) {
                    connection = null;
                    from.close();
                }
                end(received, "");
            }
        }

        private long length() {
            String text = head.toString().toLowerCase(Locale.ROOT);
            int index = text.indexOf(CONTENT_LENGTH);
            int end = text.indexOf('\r', index);
            return index < 0
                    ? 0
                    : Long.parseLong(
                            text.substring(index + CONTENT_LENGTH.length(), end).strip());
        }

        void end(int bytes, String reason) {
            if (current != this) {
                return;
            }
            current = null;
            if (bytes >= 0) {
                round.done(bytes);
            } else {
                connection = null;
                round.failed(reason);
            }
        }
    }
}
