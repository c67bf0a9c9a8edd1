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
 * @param priority URL prefixes whose answers the protected pool holds
 * @param floorPercent M: the protected pool's target never falls below so much of the whole
 * @param dampingPercent α: of its unreferenced bytes, how much a decrease may take at once
 * @param currentBytes S_cur
 * @param targetBytes S_target
 * @param periods how often a pool had run out of unreferenced bytes
 * @param turnedAway answers not stored because the protected pool was full and they were asked for
 *     the first time; absent: an older proxy
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
     * One of the two.
     *
     * @param bytes of all its entries
     * @param storedBytes of its answers
     * @param unreferencedBytes of these
     * @param hits answers from memory
     * @param misses look-ups that memory could not answer
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

    /** The rules in one line, as a change tells them. */
    public String told() {
        return mode + ", M " + floorPercent + " %, α " + dampingPercent + " %, "
                + (priority.isEmpty() ? "no prefix" : String.join(" ", priority));
    }

    /**
     * Other rules; what is absent stays.
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
