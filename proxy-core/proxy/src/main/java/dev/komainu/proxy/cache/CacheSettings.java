package dev.komainu.proxy.cache;

import dev.komainu.intermediary.caching.Labels;
import dev.komainu.intermediary.message.TargetedControl;
import java.util.List;

/**
 * What tunes the memory cache.
 *
 * @param memoryBytes the cap on everything the cache holds, 1 MB to 1 TB (64 MB)
 * @param maxObjectShare largest part of the cap one object may take, above 0 to 0.5 (0.125): larger ones pass through
 * @param passMarkMillis how long an unstorable answer keeps later requests from waiting for each other, 0 to 600,000 (10,000)
 * @param storeCookies whether an answer with Set-Cookie may be stored when the origin itself said how long it is fresh
 * @param graceSeconds how long past freshness an answer stands in while its origin cannot be reached, 0 to 31,536,000 (600)
 * @param negativeSeconds how long an error that may be stored is fresh when the origin does not say, 0 to 86,400 (0: not at all)
 * @param targets targeted Cache-Control fields that are obeyed, lower case, most specific first (RFC 9213)
 * @param stripTags whether Surrogate-Key and Cache-Tag are kept from clients
 * @param policy which entries stay when there is no room for all (W-TinyLFU)
 * @param partition how the cache is divided between what has priority and the rest (not at all)
 */
public record CacheSettings(
        long memoryBytes,
        double maxObjectShare,
        long passMarkMillis,
        boolean storeCookies,
        long graceSeconds,
        long negativeSeconds,
        List<String> targets,
        boolean stripTags,
        CachePolicy policy,
        PartitionSettings partition) {

    /** Direct memory that is left to sockets' buffers. */
    private static final long NETWORK_BYTES = 16L << 20;

    public static final CacheSettings DEFAULT =
            new CacheSettings(64L << 20, 0.125, 10_000, true, 600, 0, TargetedControl.USUAL, true);

    /** Undivided, with the usual policy. */
    public CacheSettings(
            long memoryBytes,
            double maxObjectShare,
            long passMarkMillis,
            boolean storeCookies,
            long graceSeconds,
            long negativeSeconds,
            List<String> targets,
            boolean stripTags) {
        this(
                memoryBytes,
                maxObjectShare,
                passMarkMillis,
                storeCookies,
                graceSeconds,
                negativeSeconds,
                targets,
                stripTags,
                CachePolicy.W_TINYLFU,
                PartitionSettings.DEFAULT);
    }

    /** The same, with another policy. */
    public CacheSettings under(CachePolicy other) {
        return with(other, partition);
    }

    /** The same, divided otherwise. */
    public CacheSettings divided(PartitionSettings other) {
        return with(policy, other);
    }

    private CacheSettings with(CachePolicy otherPolicy, PartitionSettings otherPartition) {
        return new CacheSettings(
                memoryBytes,
                maxObjectShare,
                passMarkMillis,
                storeCookies,
                graceSeconds,
                negativeSeconds,
                targets,
                stripTags,
                otherPolicy,
                otherPartition);
    }

    /** Adds "name: value (expected …)" for each value out of range. */
    public void check(List<String> problems) {
        if (memoryBytes < 1 << 20 || memoryBytes > 1L << 40) {
            problems.add("cache.memory: " + memoryBytes + " (expected: 1MB to 1TB)");
        }
        if (!(maxObjectShare > 0 && maxObjectShare <= 0.5)) {
            problems.add("cache.max-object-share: " + maxObjectShare + " (expected: above 0 to 0.5)");
        }
        if (passMarkMillis < 0 || passMarkMillis > 600_000) {
            problems.add("cache.pass-mark: " + passMarkMillis + " ms (expected: 0 to 600000)");
        }
        if (graceSeconds < 0 || graceSeconds > 31_536_000) {
            problems.add("cache.grace: " + graceSeconds + " s (expected: 0 to 31536000)");
        }
        if (negativeSeconds < 0 || negativeSeconds > 86_400) {
            problems.add("cache.negative-ttl: " + negativeSeconds + " s (expected: 0 to 86400)");
        }
        for (String target : targets) {
            if (!target.matches("[a-z0-9-]+")) {
                problems.add("cache.targets: " + target + " (expected: names of header fields)");
            }
        }
        partition.check(problems);
    }

    /**
     * Adds a problem when the cap is more than this JVM may have outside its heap.
     *
     * @param directBytes what -XX:MaxDirectMemorySize allows (its default: as much as the heap)
     */
    public void checkRoom(long directBytes, List<String> problems) {
        long most = directBytes - NETWORK_BYTES;
        if (memoryBytes > most) {
            problems.add("cache.memory: " + memoryBytes + " (expected: at most " + Math.max(0, most)
                    + " with the direct memory this JVM allows; see -XX:MaxDirectMemorySize)");
        }
    }

    /** The fields that clients do not get, as {@link dev.komainu.intermediary.message.Fields#mask}. */
    public long stripped() {
        return stripTags ? Labels.FIELDS : 0;
    }

    /** Largest body that is stored. */
    public long maxObjectBytes() {
        return (long) (memoryBytes * maxObjectShare);
    }
}
