package dev.komainu.proxy.cache;

import dev.komainu.intermediary.caching.Labels;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingReader;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Settings of the memory cache.
 *
 * @param memoryBytes limit of all bytes of the cache, 1 MB to 1 TB (64 MB)
 * @param touchAtStart whether all memory for bodies is made resident at the start (false)
 * @param maxObjectShare largest part of the limit for one object, above 0 to 0.5 (0.125): larger
 *     ones are not stored
 * @param passMarkMillis time for which an unstorable response keeps later requests from waiting for
 *     each other, 0 to 600,000 (10,000)
 * @param storeCookies whether a response with Set-Cookie may be stored when the origin declared an
 *     explicit freshness lifetime
 * @param graceSeconds time for which a stale response is served while its origin cannot be reached,
 *     0 to 31,536,000 (600)
 * @param negativeSeconds freshness lifetime of a storable error when the origin declares none, 0 to
 *     86,400 (0: not stored)
 * @param targets targeted Cache-Control fields that apply, lower case, most specific first (RFC
 *     9213)
 * @param stripTags whether Surrogate-Key and Cache-Tag are removed for clients
 * @param policy eviction policy (W-TinyLFU)
 * @param partition division between responses with priority and the others (none)
 */
public record CacheSettings(
        long memoryBytes,
        boolean touchAtStart,
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
            .atStart("the size of the memory's parts is fixed at the start")
            .effect("Limit of all bytes of the cache")
            .detail("""
                    The limit includes bodies (also of objects that are being received, or that
                    were evicted and are still being sent), heads, keys and bookkeeping. 7/8 are
                    for bodies and heads, 1/8 for the rest. With objects shorter than about 2.5 KB
                    on average, this last part fills first. The process grows as objects are
                    stored, and keeps what it has obtained; see `cache.touch-memory`. The limit is
                    at most `-XX:MaxDirectMemorySize` minus 16 MB for sockets.""");

    static final Setting<Boolean> TOUCH_MEMORY = Setting.truth("cache.touch-memory")
            .byDefault("false")
            .atStart("the memory is made resident at the start")
            .effect("Whether the memory for bodies is made resident at the start")
            .detail("""
                    A machine without enough memory then shows it at the start, not under load. A
                    thread of its own needs about 0.3 s for each GB, while the proxy already
                    serves.""");

    static final Setting<CachePolicy> POLICY = Setting.of(
                    "cache.policy", "w-tinylfu, lru", CachePolicy::parse)
            .byDefault("w-tinylfu")
            .atStart("stored entries are kept in the policy's order")
            .effect("Eviction policy")
            .detail("""
                    W-TinyLFU keeps frequently requested objects, LRU the most recently requested
                    ones (as in the paper's cache, for comparison: `./komainu bench proxy-policy`).""");

    static final Setting<Double> MAX_OBJECT_SHARE = Setting.share(
                    "cache.max-object-share", "0.000000001", "0.5")
            .range("above 0 to 0.5")
            .byDefault("0.125")
            .effect("Largest part of the limit for one object; larger objects are not stored");

    static final Setting<Duration> PASS_MARK = Setting.duration("cache.pass-mark", "0", "10m")
            .byDefault("10s")
            .effect("Time for which requests for an uncacheable object do not wait for each "
                    + "other");

    static final Setting<Boolean> STORE_COOKIES = Setting.truth("cache.store-cookies")
            .byDefault("true")
            .effect("Whether a response with `Set-Cookie` is stored when its origin declares a "
                    + "freshness lifetime")
            .detail("""
                    The cookie is stored too. The lifetime must be explicit (`max-age`, `s-maxage`,
                    `Expires`; RFC 9111 section 7.3). Such a response is never stored by a
                    heuristic.""");

    static final Setting<Duration> GRACE = Setting.duration("cache.grace", "0", "365d")
            .byDefault("10m")
            .effect("Time for which a stale response is served while its origin cannot be "
                    + "reached")
            .detail("""
                    See RFC 9111 section 4.2.4. `must-revalidate`, `proxy-revalidate`, `s-maxage`
                    and `no-cache` forbid it. An error response of the origin (500, 502 to 504) is
                    replaced only where `stale-if-error` allows it.""");

    static final Setting<Duration> NEGATIVE_TTL = Setting.duration("cache.negative-ttl", "0", "24h")
            .byDefault("0")
            .effect("Freshness lifetime of 404, 405, 410, 414 and 501 when the origin declares "
                    + "none; 0s: not stored")
            .detail("""
                    See RFC 9110 section 15.1 and RFC 9111 section 4.2.2. A lifetime declared by
                    the origin always applies.""");

    static final Setting<List<String>> TARGETS = Setting.text(
                    "cache.targets", "field names", "[A-Za-z0-9-]+")
            .list()
            .byDefault("Komainu-Cache-Control,CDN-Cache-Control")
            .effect("Fields of targeted cache control (RFC 9213), in order of precedence")
            .detail("""
                    The first valid field of these applies in place of `Cache-Control`, `Expires`
                    and `Pragma`.""");

    static final Setting<Boolean> STRIP_TAGS = Setting.truth("cache.strip-tags")
            .byDefault("true")
            .effect("Whether `Surrogate-Key` and `Cache-Tag` are removed from responses")
            .detail("""
                    They are read in any case (purge by tag). Use `false` for a downstream cache
                    that needs them.""");

    /** Direct memory reserved for the buffers of sockets. */
    private static final long NETWORK_BYTES = 16L << 20;

    public static final CacheSettings DEFAULT = read(SettingReader.ofDefaults());

    /** Reads these settings; errors are recorded in the reader. */
    public static CacheSettings read(SettingReader reader) {
        return new CacheSettings(
                reader.get(MEMORY),
                reader.get(TOUCH_MEMORY),
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

    /** Returns these settings with another partition. */
    public CacheSettings withPartition(PartitionSettings other) {
        return new CacheSettings(
                memoryBytes,
                touchAtStart,
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
     * Adds a problem when the limit exceeds the memory that this JVM may use outside its heap.
     *
     * @param directBytes value of -XX:MaxDirectMemorySize (default: as much as the heap)
     */
    public void checkRoom(long directBytes, List<String> problems) {
        long maxBytes = directBytes - NETWORK_BYTES;
        if (memoryBytes > maxBytes) {
            problems.add(
                    "cache.memory: " + memoryBytes + " (expected: at most " + Math.max(0, maxBytes)
                            + " with the direct memory this JVM allows; see -XX:MaxDirectMemorySize)");
        }
    }

    /**
     * Returns the fields removed for clients, as
     * {@link dev.komainu.intermediary.message.Fields#mask}.
     */
    public long stripped() {
        return stripTags ? Labels.FIELDS : 0;
    }

    /** Returns the length of the largest body that is stored. */
    public long maxObjectBytes() {
        return (long) (memoryBytes * maxObjectShare);
    }
}
