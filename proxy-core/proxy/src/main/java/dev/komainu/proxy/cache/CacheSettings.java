package dev.komainu.proxy.cache;

import dev.komainu.intermediary.caching.Labels;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * What tunes the memory cache.
 *
 * @param memoryBytes the cap on everything the cache holds, 1 MB to 1 TB (64 MB)
 * @param maxObjectShare largest part of the cap one object may take, above 0 to 0.5 (0.125): larger
 *     ones pass through
 * @param passMarkMillis how long an unstorable answer keeps later requests from waiting for each
 *     other, 0 to 600,000 (10,000)
 * @param storeCookies whether an answer with Set-Cookie may be stored when the origin itself said
 *     how long it is fresh
 * @param graceSeconds how long past freshness an answer stands in while its origin cannot be
 *     reached, 0 to 31,536,000 (600)
 * @param negativeSeconds how long an error that may be stored is fresh when the origin does not
 *     say, 0 to 86,400 (0: not at all)
 * @param targets targeted Cache-Control fields that are obeyed, lower case, most specific first
 *     (RFC 9213)
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

    public static final Setting<Long> MEMORY = Setting.size("cache.memory", "1MB", "1TB")
            .byDefault("64MB")
            .option("--memory")
            .atStart("the cache's memory is taken at the start")
            .effect("""
                    cap on everything the cache holds: bodies (also of objects arriving, or evicted and still being sent), heads, keys,
                    bookkeeping. 7/8 are for bodies and heads, 1/8 for the rest: where objects are shorter than some 2.5 KB on average, this part
                    is full first. Taken at the start; at most what `-XX:MaxDirectMemorySize` allows less 16 MB for sockets""");

    static final Setting<CachePolicy> POLICY = Setting.of(
                    "cache.policy", "w-tinylfu, lru", CachePolicy::parse)
            .byDefault("w-tinylfu")
            .atStart("what is stored lies in its order")
            .effect("""
                    what stays when there is no room for all: what is asked for often (W-TinyLFU), or what was asked for last (LRU, as in the
                    paper's cache, for comparison: `./komainu bench proxy-policy`)""");

    static final Setting<Double> MAX_OBJECT_SHARE = Setting.share(
                    "cache.max-object-share", "0.000000001", "0.5")
            .range("above 0 to 0.5")
            .byDefault("0.125")
            .effect("largest part of the cap that one object may take; larger ones pass through");

    static final Setting<Duration> PASS_MARK = Setting.duration("cache.pass-mark", "0", "10m")
            .byDefault("10s")
            .effect("how long clients of an uncacheable object do not wait for each other");

    static final Setting<Boolean> STORE_COOKIES =
            Setting.truth("cache.store-cookies").byDefault("true").effect("""
                    an answer with `Set-Cookie` is stored, cookie included, when the origin itself said how long it is fresh (`max-age`,
                    `s-maxage`, `Expires`; RFC 9111 section 7.3); never by a heuristic. `false`: never""");

    static final Setting<Duration> GRACE =
            Setting.duration("cache.grace", "0", "365d").byDefault("10m").effect("""
                    how long past freshness a stored answer stands in while its origin cannot be reached (RFC 9111 section 4.2.4);
                    `must-revalidate`, `proxy-revalidate`, `s-maxage` and `no-cache` forbid it. An error that the origin itself tells (500, 502
                    to 504) is replaced only where `stale-if-error` says so""");

    static final Setting<Duration> NEGATIVE_TTL =
            Setting.duration("cache.negative-ttl", "0", "24h").byDefault("0").effect("""
                    how long 404, 405, 410, 414 and 501 are fresh where the origin says nothing about it (RFC 9110 section 15.1, RFC 9111 section
                    4.2.2); 0s: such answers are not stored. What the origin says always counts""");

    static final Setting<List<String>> TARGETS = Setting.text(
                    "cache.targets", "field names", "[A-Za-z0-9-]+")
            .list()
            .byDefault("Komainu-Cache-Control,CDN-Cache-Control")
            .effect("""
                    targeted cache control (RFC 9213): the first valid field of these decides in place of `Cache-Control`, `Expires` and `Pragma`""");

    static final Setting<Boolean> STRIP_TAGS =
            Setting.truth("cache.strip-tags").byDefault("true").effect("""
                    `Surrogate-Key` and `Cache-Tag` are read (purge by tag) and not passed on; `false` for a cache behind this one that wants
                    them too""");

    /** Direct memory that is left to sockets' buffers. */
    private static final long NETWORK_BYTES = 16L << 20;

    public static final CacheSettings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; mistakes are noted in the reader. */
    public static CacheSettings read(SettingReader reader) {
        return new CacheSettings(
                reader.get(MEMORY),
                reader.get(MAX_OBJECT_SHARE),
                reader.get(PASS_MARK).toMillis(),
                reader.get(STORE_COOKIES),
                reader.get(GRACE).toSeconds(),
                reader.get(NEGATIVE_TTL).toSeconds(),
                reader.get(TARGETS).stream()
                        .map(name -> name.toLowerCase(Locale.ROOT))
                        .toList(),
                reader.get(STRIP_TAGS),
                reader.get(POLICY),
                PartitionSettings.read(reader));
    }

    /** The same, divided otherwise. */
    public CacheSettings divided(PartitionSettings other) {
        return new CacheSettings(
                memoryBytes,
                maxObjectShare,
                passMarkMillis,
                storeCookies,
                graceSeconds,
                negativeSeconds,
                targets,
                stripTags,
                policy,
                other);
    }

    /** Adds "name: value (expected …)" for each contradiction. */
    public void check(List<String> problems) {
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

    /**
     * The fields that clients do not get, as {@link dev.komainu.intermediary.message.Fields#mask}.
     */
    public long stripped() {
        return stripTags ? Labels.FIELDS : 0;
    }

    /** Largest body that is stored. */
    public long maxObjectBytes() {
        return (long) (memoryBytes * maxObjectShare);
    }
}
