package dev.komainu.organizer.line.http2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class TcpSocketTest {

    private static final Path SACK = Path.of("/proc/sys/net/ipv4/tcp_sack");

    @Test
    void sack_isLackingOnlyWhereTheKernelHasItOff() throws Exception {
        assumeTrue(
                Epoll.isAvailable(),
                "Netty's epoll: not available here (expected: Linux on a processor it is built for)");
        assumeTrue(
                Files.isReadable(SACK),
                SACK + ": cannot be read (expected: the machine's own network, and Linux)");
        boolean off = Files.readString(SACK).trim().equals("0");
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Channel channel = new Bootstrap()
                    .group(loops)
                    .channel(EpollSocketChannel.class)
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(server.getLocalSocketAddress())
                    .sync()
                    .channel();
            assertThat(TcpSocket.lacksSack(channel)).isEqualTo(off);
            channel.close().sync();
            assertThat(TcpSocket.lacksSack(channel)).as("closed").isFalse();
        } finally {
            loops.shutdownGracefully();
        }
    }
}
