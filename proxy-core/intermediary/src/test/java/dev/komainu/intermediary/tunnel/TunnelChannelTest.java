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
    private final Recorded end = new Recorded(channel);

    @AfterEach
    void tearDown() {
        channel.finishAndReleaseAll();
    }

    @Test
    void writeThatFailed_isThePeersDoing_unlessThisProgramsOrMemorys() {
        assertThat(TunnelChannel.isPeerFault(new IOException("Broken pipe"))).isTrue();
        assertThat(TunnelChannel.isPeerFault(new ClosedChannelException())).isTrue();
        assertThat(TunnelChannel.isPeerFault(new ChannelOutputShutdownException("beneath it")))
                .isFalse();
        assertThat(TunnelChannel.isPeerFault(new OutOfMemoryError("direct"))).isFalse();
    }

    @Test
    void reading_pausesWhileTheOtherEndTakesNoMore() {
        end.join();
        end.read(true);
        end.wanted = false;
        channel.writeInbound(bytes(3));
        assertThat(channel.config().isAutoRead()).isFalse();
        end.wanted = true;
        channel.writeInbound(bytes(4));
        assertThat(channel.config().isAutoRead()).isTrue();
        assertThat(end.told).containsExactly("received 3", "flush", "received 4", "flush");
        assertThat(end.receivedBytes()).isEqualTo(7);
    }

    @Test
    void send_written_tellsHowManyBytesWereTaken() {
        end.join();
        end.send(bytes(5));
        assertThat(end.told).containsExactly("taken 5");
        assertThat(end.sentBytes()).isEqualTo(5);
    }

    @Test
    void send_notWritten_tellsWhy() {
        failWrites();
        end.join();
        end.send(bytes(5));
        assertThat(end.told).containsExactly("unwritten of the test");
    }

    @Test
    void ended_byCloseNotifyAndThenByFin_isToldTwice() {
        end.join();
        channel.pipeline().fireUserEventTriggered(SslCloseCompletionEvent.SUCCESS);
        assertThat(end.hasEnded()).isTrue();
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        assertThat(end.told).containsExactly("ended", "ended again");
    }

    @Test
    void finish_closesBehindWhatIsWritten() {
        end.join();
        end.send(bytes(5));
        end.finish();
        assertThat(channel.isOpen()).isFalse();
        assertThat(end.told).containsExactly("taken 5", "closed");
    }

    @Test
    void finish_notWritten_tellsWhy_andLeavesTheChannelToTheTeller() {
        failWrites();
        end.join();
        end.finish();
        assertThat(channel.isOpen()).isTrue();
        assertThat(end.told).containsExactly("unwritten of the test");
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

    /** Writes down what it is told. */
    private static final class Recorded extends TunnelChannel {
        private final List<String> told = new ArrayList<>();
        private boolean wanted = true;

        Recorded(Channel channel) {
            super(channel);
        }

        @Override
        protected void received(ByteBuf bytes) {
            told.add("received " + bytes.readableBytes());
            bytes.release();
        }

        @Override
        protected void flush() {
            told.add("flush");
        }

        @Override
        protected boolean acceptsMore() {
            return wanted;
        }

        @Override
        protected void ended(boolean again) {
            told.add(again ? "ended again" : "ended");
        }

        @Override
        protected void closed() {
            told.add("closed");
        }

        @Override
        protected void failed(Throwable cause) {
            told.add("failed " + cause.getMessage());
        }

        @Override
        protected void writeFailed(Throwable cause) {
            told.add("unwritten " + cause.getMessage());
        }

        @Override
        protected void written(int bytes) {
            told.add("taken " + bytes);
        }
    }
}
