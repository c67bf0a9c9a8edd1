package dev.komainu.organizer.line.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.organizer.line.StreamAcceptor;
import dev.komainu.organizer.line.endpoint.Line;
import dev.komainu.organizer.line.endpoint.LineServer;
import dev.komainu.organizer.line.kit.Answers;
import dev.komainu.organizer.line.kit.Ends;
import dev.komainu.organizer.line.kit.TunnelDoor;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A tunnel's end whose connection fails for a reason that is not the peer's: its reader gets a
 * reset, never the end.
 */
class StreamRelayTest {

    /** The third write of a connection fails. */
    private static final int THIRD = 3;

    private final Ends ends = new Ends();
    private ServerSocket service;
    private Line line;

    @BeforeEach
    void setUp() throws Exception {
        service = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        StreamAcceptor taker = new TunnelAcceptor(
                head -> (InetSocketAddress) service.getLocalSocketAddress(),
                Duration.ofSeconds(60),
                ends.answers);
        LineServer server = ends.server(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Ends.QUICK,
                null,
                taker);
        line = ends.line(server.address(), Ends.QUICK, null);
    }

    @AfterEach
    void tearDown() throws Exception {
        service.close();
        ends.close();
    }

    /**
     * The service sends all and ends; the client has sent nothing.
     *
     * @return how it ends for the client
     */
    private String endOf(ChannelDuplexHandler fault, TunnelResetReason why) throws Exception {
        try (TunnelDoor door = new TunnelDoor(line, "any", fault);
                Socket client = door.connect();
                Socket served = service.accept()) {
            Thread.startVirtualThread(() -> {
                try {
                    served.getOutputStream().write(Answers.pattern(1_000_000));
                    served.shutdownOutput();
                } catch (IOException e) {
                    // The connection is broken off, as it should be.
                }
            });
            String end = TunnelDoor.endOf(client);
            StreamRelay relay = door.relays.take();
            await().until(() -> relay.broken() == why);
            return end;
        }
    }

    @Test
    void write_thatFails_resetsTheReader() throws Exception {
        String end = endOf(
                new ChannelDuplexHandler() {
                    private int writes;

                    @Override
                    public void write(
                            ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                        if (++writes == THIRD) {
                            ReferenceCountUtil.release(message);
                            promise.setFailure(new OutOfMemoryError("of the test"));
                        } else {
                            ctx.write(message, promise);
                        }
                    }
                },
                TunnelResetReason.UNWRITTEN);
        assertThat(end).isEqualTo("reset");
    }

    @Test
    void fault_ofAHandler_resetsTheReader() throws Exception {
        String end = endOf(
                new ChannelDuplexHandler() {
                    private int writes;

                    @Override
                    public void write(
                            ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                        ctx.write(message, promise);
                        if (++writes == THIRD) {
                            ctx.fireExceptionCaught(new IllegalStateException("of the test"));
                        }
                    }
                },
                TunnelResetReason.FAULT);
        assertThat(end).isEqualTo("reset");
    }
}
