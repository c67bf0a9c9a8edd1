package dev.komainu.intermediary.upstream;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandler;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUringDatagramChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.resolver.dns.DefaultDnsCache;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.resolver.dns.DnsNameResolverBuilder;
import io.netty.resolver.dns.SequentialDnsServerAddressStreamProvider;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * A DNS client that reads the hosts file first. Each event loop sends its own queries; all loops
 * share a cache for as long as the time to live permits. Names that do not exist are cached, too.
 *
 * <p>It uses Netty's resolver: Java's resolver reports no time to live and blocks a thread for each
 * query (docs/decisions).
 */
// Closing a resolver late has no result that anything waits for.
@SuppressWarnings("FutureReturnValueIgnored")
final class DnsLookup {

    /** Queries for one name, sent one after the other. */
    private static final int MAX_QUERIES = 16;

    private final DnsSettings settings;
    private final DefaultDnsCache cache;
    private final ConcurrentHashMap<EventLoop, DnsNameResolver> resolvers =
            new ConcurrentHashMap<>();

    DnsLookup(DnsSettings settings) {
        this.settings = settings;
        this.cache = new DefaultDnsCache(
                Math.toIntExact(settings.minTtl().toSeconds()),
                Math.toIntExact(settings.maxTtl().toSeconds()),
                Math.toIntExact(settings.negativeTtl().toSeconds()));
    }

    /** Returns all addresses of a name; the future completes on {@code loop}. */
    Future<List<InetAddress>> resolveAll(String host, EventLoop loop) {
        return resolvers.computeIfAbsent(loop, this::resolver).resolveAll(host);
    }

    DnsSettings settings() {
        return settings;
    }

    /** Closes the sockets when the last query must have ended. */
    void retire() {
        long millis = MAX_QUERIES * settings.timeout().toMillis() + 1000;
        resolvers.forEach(
                (loop, resolver) -> loop.schedule(resolver::close, millis, TimeUnit.MILLISECONDS));
    }

    private DnsNameResolver resolver(EventLoop loop) {
        DnsNameResolverBuilder builder = new DnsNameResolverBuilder(loop)
                .datagramChannelType(datagramChannelType(loop))
                .socketChannelType(socketChannelType(loop), true)
                .resolveCache(cache)
                .maxQueriesPerResolve(MAX_QUERIES)
                .queryTimeoutMillis(settings.timeout().toMillis())
                .consolidateCacheSize(1024);
        if (!settings.servers().isEmpty()) {
            builder.nameServerProvider(
                    new SequentialDnsServerAddressStreamProvider(settings.servers()));
        }
        return builder.build();
    }

    private static boolean runs(EventLoop loop, Class<? extends IoHandler> kind) {
        return loop instanceof IoEventLoop io && io.isIoType(kind);
    }

    private static Class<? extends DatagramChannel> datagramChannelType(EventLoop loop) {
        return runs(loop, EpollIoHandler.class)
                ? EpollDatagramChannel.class
                : runs(loop, IoUringIoHandler.class)
                        ? IoUringDatagramChannel.class
                        : NioDatagramChannel.class;
    }

    private static Class<? extends SocketChannel> socketChannelType(EventLoop loop) {
        return runs(loop, EpollIoHandler.class)
                ? EpollSocketChannel.class
                : runs(loop, IoUringIoHandler.class)
                        ? IoUringSocketChannel.class
                        : NioSocketChannel.class;
    }
}
