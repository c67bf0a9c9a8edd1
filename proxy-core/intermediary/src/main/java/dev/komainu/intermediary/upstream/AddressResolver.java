package dev.komainu.intermediary.upstream;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.netty.channel.EventLoop;
import io.netty.resolver.dns.DnsNameResolver;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A resolver from a server's name to the addresses to connect to. A guard checks these same
 * addresses: a name that resolves differently the second time cannot bypass the guard (SSRF by DNS
 * rebinding).
 *
 * <p>When no name server responds, the last known addresses are used for at most an hour: a DNS
 * outage is not an outage of the origin.
 */
public final class AddressResolver {

    /** Addresses of one name that are used; the rest is ignored. */
    private static final int MAX_ADDRESSES = 16;

    /**
     * A listener that receives at least one address, or a failure; exactly one argument is present.
     * Called on the requesting loop.
     */
    @FunctionalInterface
    interface ResolutionListener {
        void resolved(@Nullable List<InetSocketAddress> addresses, @Nullable OriginFailure refusal);
    }

    private final Predicate<InetSocketAddress> permitted;
    private volatile DnsLookup lookup;
    private final Cache<String, List<InetAddress>> lastKnown = Caffeine.newBuilder()
            .maximumSize(10_000)
            .expireAfterWrite(Duration.ofHours(1))
            .executor(Runnable::run)
            .build();

    /**
     * Creates a resolver.
     *
     * @param permitted reports whether an address may be connected to
     */
    public AddressResolver(Predicate<InetSocketAddress> permitted, DnsSettings dns) {
        this.permitted = permitted;
        this.lookup = new DnsLookup(dns);
    }

    /** Puts new DNS settings in force. Queries in progress are completed. Any thread. */
    public void reload(DnsSettings dns) {
        DnsLookup previous = lookup;
        if (!dns.equals(previous.settings())) {
            lookup = new DnsLookup(dns);
            previous.retire();
        }
    }

    /**
     * Resolves a server's name. Literal addresses and cached names are reported before this method
     * returns, others later.
     */
    void resolve(UpstreamServer server, EventLoop loop, ResolutionListener listener) {
        String host = server.host();
        InetAddress literal = literal(host);
        if (literal != null) {
            complete(server, List.of(literal), listener);
            return;
        }
        Future<List<InetAddress>> result;
        try {
            result = lookup.resolveAll(host, loop);
        } catch (RuntimeException noSocket) {
            // Without a free file descriptor no query can be sent.
            result = loop.newFailedFuture(noSocket);
        }
        result.addListener((Future<List<InetAddress>> done) -> {
            List<InetAddress> found = done.isSuccess() ? done.getNow() : null;
            if (found != null) {
                lastKnown.put(host, found);
            } else if (!(done.cause() instanceof UnknownHostException) || isOutage(done.cause())) {
                found = lastKnown.getIfPresent(host);
            }
            if (found == null || found.isEmpty()) {
                listener.resolved(null, OriginFailure.unknownHost(server));
            } else {
                complete(server, found, listener);
            }
        });
    }

    private static boolean isOutage(Throwable cause) {
        return DnsNameResolver.isTransportOrTimeoutError(cause)
                || DnsNameResolver.isTransportOrTimeoutError(cause.getCause());
    }

    private void complete(
            UpstreamServer server, List<InetAddress> found, ResolutionListener listener) {
        List<InetSocketAddress> targets = new ArrayList<>(Math.min(MAX_ADDRESSES, found.size()));
        for (InetAddress address : found) {
            InetSocketAddress target = new InetSocketAddress(address, server.port());
            if (targets.size() < MAX_ADDRESSES && permitted.test(target)) {
                targets.add(target);
            }
        }
        if (targets.isEmpty()) {
            listener.resolved(
                    null,
                    new OriginFailure(
                            403,
                            "address-forbidden",
                            "This proxy may not connect to that address",
                            true));
        } else {
            listener.resolved(targets, null);
        }
    }

    private static @Nullable InetAddress literal(String host) {
        try {
            return InetAddress.ofLiteral(host);
        } catch (IllegalArgumentException notLiteral) {
            return null;
        }
    }
}
