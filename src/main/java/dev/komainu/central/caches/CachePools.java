package dev.komainu.central.caches;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The partition of a proxy's cache and the state of both pools (the proxy's control endpoint,
 * Partition; spec section 3).
 *
 * @param mode single, basic or partition
 * @param priority URL prefixes whose responses are stored in the protected pool
 * @param floorPercent M: lowest target of the protected pool, in percent of the whole
 * @param dampingPercent α: share of its unreferenced bytes by which one step may decrease the
 *     target
 * @param currentBytes S_cur
 * @param targetBytes S_target
 * @param periods number of times that a pool ran out of unreferenced bytes
 * @param turnedAway responses not stored because the protected pool was full and they were
 *     requested for the first time; absent: an older proxy
 */
public record CachePools(
        String mode,
        List<String> priority,
        int floorPercent,
        int dampingPercent,
        long wholeBytes,
        long currentBytes,
        long targetBytes,
        long periods,
        @Nullable Long turnedAway,
        @JsonProperty("protected") Pool guarded,
        Pool normal,
        Resettlement resettlement) {

    /**
     * One of the two pools.
     *
     * @param bytes of all its entries
     * @param storedBytes of its responses
     * @param unreferencedBytes of responses that are not referenced
     * @param hits responses from memory
     * @param misses look-ups without a result in memory
     */
    public record Pool(
            long bytes,
            long maximumBytes,
            long storedBytes,
            long unreferencedBytes,
            long entries,
            long evictions,
            long hits,
            long hitBytes,
            long misses) {}

    /** The progress of moving entries after the last change of mode or prefixes. */
    public record Resettlement(long looked, long of, long moved, boolean done) {}

    /** Returns the rules in one line, for the record of a change. */
    public String describe() {
        return mode + ", M " + floorPercent + " %, α " + dampingPercent + " %, "
                + (priority.isEmpty() ? "no prefix" : String.join(" ", priority));
    }

    /**
     * An order for other rules; absent values stay unchanged.
     *
     * @param priority at most 1,000 prefixes
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Order(
            @Nullable String mode,
            @Nullable List<String> priority,
            @Nullable Integer floorPercent,
            @Nullable Integer dampingPercent) {}
}
