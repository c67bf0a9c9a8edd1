package dev.komainu.intermediary.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TunnelChannelTest {

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final RecordingTunnel end = new RecordingTunnel(channel);

    @AfterEach
    void tearDown() {
        channel.finishAndReleaseAll();
    }

    @Test
    void failedWrite_isAPeerFault_unlessCausedByThisProgramOrMemory() {
        assertThat(TunnelChannel.isPeerFault(new IOException("Broken pipe"))).isTrue();
        assertThat(TunnelChannel.isPeerFault(new ClosedChannelException())).isTrue();
        assertThat(TunnelChannel.isPeerFault(new ChannelOutputShutdownException("beneath it")))
                .isFalse();
        assertThat(TunnelChannel.isPeerFault(new OutOfMemoryError("direct"))).isFalse();
    }

    @Test
    void reading_pausesWhileTheOtherEndAcceptsNoMore() {
        end.join();
        end.read(true);
        end.acceptsMore = false;
        channel.writeInbound(bytes(3));
        assertThat(channel.config().isAutoRead()).isFalse();
        end.acceptsMore = true;
        channel.writeInbound(bytes(4));
        assertThat(channel.config().isAutoRead()).isTrue();
        assertThat(end.events).containsExactly("received 3", "flush", "received 4", "flush");
        assertThat(end.receivedBytes()).isEqualTo(7);
    }

    @Test
    void send_written_reportsTheBytes() {
        end.join();
        end.send(bytes(5));
        assertThat(end.events).containsExactly("written 5");
        assertThat(end.sentBytes()).isEqualTo(5);
    }

    @Test
    void send_notWritten_reportsTheCause() {
        failWrites();
        end.join();
        end.send(bytes(5));
        assertThat(end.events).containsExactly("writeFailed of the test");
    }

    @Test
    void ended_byCloseNotifyAndThenByFin_isReportedTwice() {
        end.join();
        channel.pipeline().fireUserEventTriggered(SslCloseCompletionEvent.SUCCESS);
        assertThat(end.hasEnded()).isTrue();
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        assertThat(end.events).containsExactly("ended", "ended again");
    }

    @Test
    void finish_closesBehindTheBytesWritten() {
        end.join();
        end.send(bytes(5));
        end.finish();
        assertThat(channel.isOpen()).isFalse();
        assertThat(end.events).containsExactly("written 5", "closed");
    }

    @Test
    void finish_notWritten_reportsTheCause_andLeavesTheChannelOpen() {
        failWrites();
        end.join();
        end.finish();
        assertThat(channel.isOpen()).isTrue();
        assertThat(end.events).containsExactly("writeFailed of the test");
        end.reset();
        assertThat(channel.isOpen()).isFalse();
    }

    private void failWrites() {
        channel.pipeline().addLast(new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                ReferenceCountUtil.release(message);
                promise.setFailure(new IOException("of the test"));
            }
        });
    }

    private static ByteBuf bytes(int count) {
        return Unpooled.wrappedBuffer(new byte[count]);
    }

    /** A tunnel end that records its notifications. */
    private static final class RecordingTunnel extends TunnelChannel {
        private final List<String> events = new ArrayList<>();
        private boolean acceptsMore = true;

        RecordingTunnel(Channel channel) {
            super(channel);
        }

        @Override
        protected void received(ByteBuf bytes) {
            events.add("received " + bytes.readableBytes());
            bytes.release();
        }

        @Override
        protected void flush() {
            events.add("flush");
        }

        @Override
        protected boolean acceptsMore() {
            return acceptsMore;
        }

        @Override
        protected void ended(boolean again) {
            events.add(again ? "ended again" : "ended");
        }

        @Override
        protected void closed() {
            events.add("closed");
        }

        @Override
        protected void failed(Throwable cause) {
            events.add("failed " + cause.getMessage());
        }

        @Override
        protected void writeFailed(Throwable cause) {
            events.add("writeFailed " + cause.getMessage());
        }

        @Override
        protected void written(int bytes) {
            events.add("written " + bytes);
        }
    }
}
