package dev.komainu.proxy.route;

import dev.komainu.intermediary.message.RequestHead;
import dev.komainu.intermediary.upstream.Origin;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The table of routes to origins. Immutable: a new table replaces the old one as a whole, so a
 * request sees one table only.
 *
 * <p>Reverse: the longest path prefix wins. Forward: the request itself names its origin.
 */
public final class RouteTable {

    /**
     * A part of the URL space.
     *
     * @param prefix the prefix of the path, beginning with {@code /}
     * @param origin the origin that serves it
     */
    public record Route(String prefix, Origin origin) {}

    private final List<Route> routes;
    private final byte[][] prefixes;
    private final boolean forward;
    private final Set<Integer> connectPorts;

    private RouteTable(List<Route> routes, boolean forward, Set<Integer> connectPorts) {
        this.routes = routes.stream()
                .sorted(Comparator.comparingInt((Route r) -> r.prefix().length())
                        .reversed())
                .toList();
        this.prefixes = this.routes.stream()
                .map(r -> r.prefix().getBytes(StandardCharsets.ISO_8859_1))
                .toArray(byte[][]::new);
        this.forward = forward;
        this.connectPorts = Set.copyOf(connectPorts);
    }

    public static RouteTable reverse(List<Route> routes) {
        return new RouteTable(routes, false, Set.of());
    }

    /**
     * Returns the table of a forward proxy.
     *
     * @param connectPorts the ports that CONNECT may reach
     */
    public static RouteTable forward(Set<Integer> connectPorts) {
        return new RouteTable(List.of(), true, connectPorts);
    }

    public boolean isForward() {
        return forward;
    }

    /**
     * Returns the reason why this request is refused; null when it is served. Allocates nothing.
     */
    public @Nullable RouteRefusal refusal(RequestHead head) {
        if (head.methodIs("TRACE")) {
            return RouteRefusal.TRACE;
        }
        if (head.methodIs("CONNECT")) {
            if (!forward) {
                return RouteRefusal.CONNECT_HERE;
            }
            String authority = head.authority();
            int colon = authority.lastIndexOf(':');
            boolean named = colon > authority.lastIndexOf(']') && colon > 0;
            return named && connectPorts.contains(Integer.parseInt(authority.substring(colon + 1)))
                    ? null
                    : RouteRefusal.CONNECT_PORT;
        }
        if (head.methodIs("OPTIONS") && head.maxForwards() == 0) {
            return RouteRefusal.LAST_HOP;
        }
        if (forward) {
            return head.isAbsolute() && !head.isSecure() ? null : RouteRefusal.NOT_FORWARD;
        }
        return indexFor(head) < 0 ? RouteRefusal.NO_ROUTE : null;
    }

    /** Returns the origin for a request that is not refused. */
    public Origin origin(RequestHead head) {
        if (forward) {
            return Origin.ofAuthority(head.authority(), 80);
        }
        return routes.get(Math.max(0, indexFor(head))).origin();
    }

    /** Returns the authority for an HTTP/1.0 request without a host. */
    public byte[] fallbackAuthority(RequestHead head) {
        int index = indexFor(head);
        return index < 0
                ? new byte[0]
                : routes.get(index).origin().authority().getBytes(StandardCharsets.ISO_8859_1);
    }

    private int indexFor(RequestHead head) {
        byte[] bytes = head.bytes();
        int from = head.pathFrom();
        int length = head.pathLength();
        for (int i = 0; i < prefixes.length; i++) {
            byte[] prefix = prefixes[i];
            if (prefix.length <= 1
                    || (length >= prefix.length
                            && Arrays.equals(
                                    bytes, from, from + prefix.length, prefix, 0, prefix.length))) {
                return i;
            }
        }
        return -1;
    }
}
