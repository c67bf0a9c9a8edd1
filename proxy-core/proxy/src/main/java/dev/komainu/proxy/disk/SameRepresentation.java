package dev.komainu.proxy.disk;

import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.proxy.cache.StoredRepresentation;
import dev.komainu.proxy.cache.StoredResponse;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A hash that is equal when a newer response has the same representation as the record on the disk:
 * the same strong ETag (RFC 9110 section 8.8.3.2), status, length and labels, the same freshness
 * lifetime and the same freshness rules. 32 bits; 0 where no two responses count as the same.
 */
final class SameRepresentation {

    private SameRepresentation() {}

    static int of(@Nullable StoredRepresentation stored) {
        return stored instanceof StoredResponse whole
                ? of(
                        whole.etag(),
                        whole.status(),
                        whole.bodyLength(),
                        whole.labels(),
                        whole.freshness())
                : 0;
    }

    static int of(DiskRecord record) {
        return of(
                record.etag(),
                record.status(),
                record.bodyLength(),
                record.labels(),
                record.freshness(0));
    }

    private static int of(
            @Nullable String etag,
            int status,
            long bodyLength,
            List<String> labels,
            Freshness freshness) {
        if (etag == null || !etag.startsWith("\"")) {
            return 0;
        }
        int hash = Objects.hash(
                etag,
                status,
                bodyLength,
                labels,
                freshness.lifetimeSeconds(),
                freshness.alwaysValidate(),
                freshness.mustRevalidate(),
                freshness.whileRevalidateSeconds(),
                freshness.ifErrorSeconds());
        return hash == 0 ? 1 : hash;
    }
}
