package dev.komainu.organizer.line.kit;

import dev.komainu.organizer.line.endpoint.Line;
import dev.komainu.organizer.line.tunnel.StreamRelay;
import dev.komainu.organizer.line.tunnel.TunnelAcceptor;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
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
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

/** Entry of a tunnel's clients: each connection goes through the line to one service. */
public final class TunnelDoor implements AutoCloseable {

    public final CompletableFuture<Http2Headers> answer = new CompletableFuture<>();
    /** Relays of the connections, in the order of their accept. */
    public final BlockingQueue<StreamRelay> relays = new LinkedBlockingQueue<>();

    private final Channel listener;

    public TunnelDoor(Line line, String service) {
        this(line, service, new ChannelInboundHandlerAdapter());
    }

    /**
     * Creates an entry.
     *
     * @param first handler of each connection, before the tunnel; of one connection only, unless it
     *     can be shared
     */
    public TunnelDoor(Line line, String service, ChannelHandler first) {
        listener = new ServerBootstrap()
                .group(line.loop())
                .channel(
                        Epoll.isAvailable()
                                ? EpollServerSocketChannel.class
                                : NioServerSocketChannel.class)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(first);
                        StreamRelay relay =
                                StreamRelay.asking(channel, head -> answer.complete(head));
                        relay.relay(line.open(TunnelAcceptor.ask(service), false, relay));
                        relays.add(relay);
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .awaitUninterruptibly()
                .channel();
    }

    public Socket connect() throws IOException {
        InetSocketAddress at = (InetSocketAddress) listener.localAddress();
        Socket socket = new Socket(at.getAddress(), at.getPort());
        socket.setSoTimeout(180_000);
        return socket;
    }

    /** Returns how the connection ends: {@code end}, or {@code reset}. */
    public static String endOf(Socket socket) {
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
