package dev.komainu.intermediary.upstream;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Who was asked for an answer, as an exchange's account tells it.
 *
 * @param server the server that was asked last, {@code host:port}; while none was reached, all that
 *     might have been
 * @param address the address its connection led to; absent when there was no connection of this
 *     exchange's own
 * @param micros request sent to the answer's first byte, in microseconds; -1 when nobody answered
 * @param by how the one who was asked was found
 */
public record UpstreamInfo(
        String server, @Nullable InetSocketAddress address, long micros, HierarchyCode hierarchyCode) {

    public UpstreamInfo(String server, @Nullable InetSocketAddress address, long micros) {
        this(server, address, micros, HierarchyCode.DIRECT);
    }

    /** Nobody was reached, or another exchange asked on this one's behalf. */
    public static UpstreamInfo none(Origin origin) {
        return new UpstreamInfo(origin.toString(), null, -1);
    }
}
