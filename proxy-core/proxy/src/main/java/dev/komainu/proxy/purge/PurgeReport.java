package dev.komainu.proxy.purge;

import java.util.List;

/**
 * What an order hit.
 *
 * @param matched stored responses it names; each variant is one
 * @param bytes what they are charged for
 * @param purged of those, dropped or made stale by this order
 * @param samples some of their URIs, {@code host/path?query}
 * @param tookMicros how long it took
 */
public record PurgeReport(
        long matched, long bytes, long purged, List<String> samples, long tookMicros) {

    public PurgeReport {
        samples = List.copyOf(samples);
    }
}
