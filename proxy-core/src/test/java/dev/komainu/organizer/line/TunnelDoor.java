package dev.komainu.organizer.line;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;

/** Where a tunnel's clients come in: each connection goes through the line to one service. */
final class TunnelDoor implements AutoCloseable {

    final CompletableFuture<Http2Headers> answer = new CompletableFuture<>();
    private final Channel listener;

    TunnelDoor(Line line, String service) {
        listener = new ServerBootstrap()
                .group(line.loop())
                .channel(Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        StreamRelay relay = StreamRelay.asking(channel, head -> answer.complete(head));
                        relay.relay(line.open(TunnelTaker.ask(service), false, relay));
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .awaitUninterruptibly()
                .channel();
    }

    Socket connect() throws IOException {
        InetSocketAddress at = (InetSocketAddress) listener.localAddress();
        Socket socket = new Socket(at.getAddress(), at.getPort());
        socket.setSoTimeout(180_000);
        return socket;
    }

    /** How the connection ends: {@code end}, or {@code reset}. */
    static String endOf(Socket socket) {
        try {
            socket.getInputStream().readAllBytes();
            return "end";
        } catch (IOException e) {
            return "reset";
        }
    }

    @Override
    public void close() {
        listener.close().awaitUninterruptibly();
    }
}
