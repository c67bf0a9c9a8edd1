package dev.komainu.intermediary.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.UnixChannelOption;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * The interface to the kernel's sockets: epoll, a ring of requests (io_uring), or Java's own
 * selector, which works on every system.
 */
public enum Transport {
    EPOLL,
    IO_URING,
    NIO;

    /**
     * Returns epoll where it is available. Io_uring was no clear gain: least CPU of five runs side
     * by side on a busy machine 20.8 against 21.8 µs for a 10 KB hit, 55.8 against 52.7 for a new
     * connection; and many systems forbid it.
     */
    public static Transport best() {
        return EPOLL.isAvailable() ? EPOLL : NIO;
    }

    /**
     * Parses {@code auto}, {@code epoll}, {@code io_uring} or {@code nio}.
     *
     * @throws IllegalArgumentException with the text and the expected names, also when the
     *     transport is not available here
     */
    public static Transport parse(String text) {
        if (text.equals("auto")) {
            return best();
        }
        for (Transport transport : values()) {
            if (transport.text().equals(text) && transport.isAvailable()) {
                return transport;
            }
        }
        String available = Arrays.stream(values())
                .filter(Transport::isAvailable)
                .map(Transport::text)
                .collect(Collectors.joining(", "));
        throw new IllegalArgumentException(
                text + " (expected: auto, or one available on this system: " + available + ")");
    }

    /** Returns the name in settings. */
    public String text() {
        return switch (this) {
            case EPOLL -> "epoll";
            case IO_URING -> "io_uring";
            case NIO -> "nio";
        };
    }

    /** Reports whether it is available on this system. For io_uring this loads its library. */
    public boolean isAvailable() {
        return switch (this) {
            case EPOLL -> Epoll.isAvailable();
            case IO_URING -> IoUring.isAvailable();
            case NIO -> true;
        };
    }

    /**
     * Reports whether each loop has its own listening socket (SO_REUSEPORT); otherwise one socket
     * distributes connections over all loops.
     */
    public boolean sharesPorts() {
        return this != NIO;
    }

    /** Creates event loops; the caller closes them. */
    public EventLoopGroup loops(int count) {
        return switch (this) {
            case EPOLL -> new EpollLoops(count);
            case IO_URING -> new MultiThreadIoEventLoopGroup(count, IoUringIoHandler.newFactory());
            case NIO -> new MultiThreadIoEventLoopGroup(count, NioIoHandler.newFactory());
        };
    }

    /** Returns the channel type of connections to origins. */
    public Class<? extends Channel> client() {
        return switch (this) {
            case EPOLL -> OriginChannel.class;
            case IO_URING -> IoUringSocketChannel.class;
            case NIO -> NioSocketChannel.class;
        };
    }

    /**
     * Returns a factory of listening sockets for an address. The sockets share the port where the
     * transport permits.
     */
    public ChannelFactory<ServerChannel> listener(InetSocketAddress address) {
        return switch (this) {
            case EPOLL -> () -> new ListenerChannel(address);
            case IO_URING ->
                () -> {
                    IoUringServerSocketChannel channel = new IoUringServerSocketChannel();
                    channel.config().setOption(UnixChannelOption.SO_REUSEPORT, true);
                    return channel;
                };
            case NIO -> NioServerSocketChannel::new;
        };
    }
}
