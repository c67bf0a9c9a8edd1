package dev.komainu.proxy.purge;

import java.util.List;

/**
 * The result of a purge order.
 *
 * @param matched stored responses that it matches; each variant counts
 * @param bytes charged bytes of these
 * @param purged responses of these that this order dropped or made stale
 * @param samples some of their URIs, {@code host/path?query}
 * @param tookMicros duration
 */
public record PurgeReport(
        long matched, long bytes, long purged, List<String> samples, long tookMicros) {

    public PurgeReport {
        samples = List.copyOf(samples);
    }
}
