package dev.komainu.intermediary.upstream;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The upstream of one response, as the access log reports it.
 *
 * @param server the last server that the request was sent to, {@code host:port}; when none was
 *     reached, all servers of the origin
 * @param address the address of its connection; absent when this exchange had no connection of its
 *     own
 * @param micros time from the sent request to the first byte of the response, in microseconds; -1
 *     without a response
 * @param hierarchyCode the way in which the server was found
 */
public record UpstreamInfo(
        String server,
        @Nullable InetSocketAddress address,
        long micros,
        HierarchyCode hierarchyCode) {

    public UpstreamInfo(String server, @Nullable InetSocketAddress address, long micros) {
        this(server, address, micros, HierarchyCode.DIRECT);
    }

    /**
     * Returns the upstream of an exchange that reached no server, or whose response another
     * exchange requested.
     */
    public static UpstreamInfo none(Origin origin) {
        return new UpstreamInfo(origin.toString(), null, -1);
    }
}
