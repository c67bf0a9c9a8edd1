package dev.komainu.central.caches;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The stored responses of a proxy below a prefix, as it reports them
 * ({@code docs/formats/proxy-control.md}).
 *
 * @param looked entries examined
 * @param truncated the walk ended early: the figures are of the examined part
 * @param next start of the next page; absent on the last
 */
public record CacheContents(
        String prefix,
        long objects,
        long bytes,
        long hits,
        long looked,
        boolean truncated,
        long tookMicros,
        List<Child> children,
        @Nullable String next) {

    /**
     * One name of this level.
     *
     * @param object whether its prefix is itself a stored URL
     */
    public record Child(
            String name,
            String prefix,
            boolean object,
            long objects,
            long bytes,
            long hits,
            long stale,
            long oldestSeconds,
            long newestSeconds) {}
}
