package dev.komainu.proxy.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.socket.ChannelOutputShutdownException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.Test;

class StreamTunnelTest {

    @Test
    void writeThatFailed_isTheTargetsDoing_unlessThisProgramsOrMemorys() {
        assertThat(StreamTunnel.isOfTheTarget(new IOException("Broken pipe"))).isTrue();
        assertThat(StreamTunnel.isOfTheTarget(new ClosedChannelException())).isTrue();
        assertThat(StreamTunnel.isOfTheTarget(new ChannelOutputShutdownException("beneath it")))
                .isFalse();
        assertThat(StreamTunnel.isOfTheTarget(new OutOfMemoryError("direct"))).isFalse();
    }
}
