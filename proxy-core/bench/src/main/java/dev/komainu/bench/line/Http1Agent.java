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
 * Asks over connections of its own: a new one for each object (HTTP/1.0), or one that stays
 * (HTTP/1.1).
 */
final class Http1Agent implements BenchAgent {

    private static final byte[] HEAD_ENDS = {'\r', '\n', '\r', '\n'};
    private static final String LENGTH = "content-length: ";

    private final EventLoop loop;
    private final InetSocketAddress to;
    private final boolean stays;
    private @Nullable Channel kept;
    private @Nullable Hearing hearing;

    Http1Agent(EventLoop loop, InetSocketAddress to, boolean stays) {
        this.loop = loop;
        this.to = to;
        this.stays = stays;
    }

    @Override
    public void ask(Round round) {
        Hearing mine = new Hearing(round);
        hearing = mine;
        Channel over = kept;
        if (over != null && over.isActive()) {
            request(over, round);
            return;
        }
        new Bootstrap()
                .group(loop)
                .channel(EpollSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new Reading())
                .connect(to)
                .addListener((ChannelFuture connected) -> {
                    if (connected.isSuccess()) {
                        kept = connected.channel();
                        request(connected.channel(), round);
                    } else {
                        mine.end(-1, String.valueOf(connected.cause().getMessage()));
                    }
                });
    }

    private void request(Channel over, Round round) {
        over.writeAndFlush(Unpooled.copiedBuffer(
                "GET /object/1/" + round.bytes() + "/fresh HTTP/1." + (stays ? 1 : 0) + "\r\nHost: "
                        + to.getHostString() + "\r\n\r\n",
                StandardCharsets.US_ASCII));
    }

    private final class Reading extends ChannelInboundHandlerAdapter {

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            Hearing to = hearing;
            if (to != null) {
                to.heard(ctx.channel(), bytes);
            }
            bytes.release();
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            Hearing to = hearing;
            if (to != null && ctx.channel() == kept) {
                to.end(-1, "closed in the middle");
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }

    /** One answer: its head, then as many bytes as it says. */
    private final class Hearing {

        private final Round round;
        private final StringBuilder head = new StringBuilder(256);
        private long expected = -1;
        private int received;

        Hearing(Round round) {
            this.round = round;
        }

        void heard(Channel from, ByteBuf bytes) {
            while (expected < 0 && bytes.isReadable()) {
                head.append((char) bytes.readByte());
                int length = head.length();
                if (length >= HEAD_ENDS.length
                        && head.indexOf("\r\n\r\n", length - HEAD_ENDS.length) >= 0) {
                    expected = length();
                }
            }
            received += bytes.readableBytes();
            if (expected >= 0 && received >= expected) {
                if (!stays) {
                    kept = null;
                    from.close();
                }
                end(received, "");
            }
        }

        private long length() {
            String text = head.toString().toLowerCase(Locale.ROOT);
            int at = text.indexOf(LENGTH);
            int end = text.indexOf('\r', at);
            return at < 0
                    ? 0
                    : Long.parseLong(text.substring(at + LENGTH.length(), end).strip());
        }

        void end(int bytes, String why) {
            if (hearing != this) {
                return;
            }
            hearing = null;
            if (bytes >= 0) {
                round.done(bytes);
            } else {
                kept = null;
                round.failed(why);
            }
        }
    }
}
