package dev.komainu.proxy.disk;

import java.util.Map;

/**
 * The state of the tier at one instant, and its counts since the start.
 *
 * @param space the stored responses and the space they use
 * @param reads the reads of stored responses
 * @param writes the responses that left memory
 * @param upkeep the records and segments dropped, rewritten or not readable
 */
public record DiskFigures(Space space, Reads reads, Writes writes, Upkeep upkeep) {
    /**
     * The stored responses and the space they use.
     *
     * @param bytes bytes of all segments
     * @param limitBytes limit of {@code bytes}
     * @param protectedBytes bytes of records that had priority when they were last written
     * @param indexBytes heap bytes of the index; not part of {@code cache.memory}
     */
    public record Space(
            long records,
            long bytes,
            long limitBytes,
            long protectedBytes,
            int segments,
            long indexBytes) {}

    /**
     * The reads of stored responses.
     *
     * @param asked requested reads of indexed records: the sum of {@code found} and all of
     *     {@code unread}
     * @param unread requested reads without a result, by reason
     * @param queue reads waiting or in progress
     * @param readP95Micros time from request to result in the last second with reads; 0: none
     */
    public record Reads(
            long asked,
            long found,
            long foundBytes,
            Map<String, Long> unread,
            int queue,
            long readP95Micros) {}

    /**
     * The responses that left memory.
     *
     * @param kept responses that left memory while the same was already on the disk
     * @param unwritten responses that left memory and were not written, by reason
     * @param waitingBytes bytes of responses that wait to be written
     */
    public record Writes(
            long written,
            long writtenBytes,
            long kept,
            Map<String, Long> unwritten,
            long waitingBytes) {}

    /**
     * The records and segments dropped, rewritten or not readable.
     *
     * @param aged records dropped with the oldest segment
     * @param renewed records rewritten before their segment was dropped, because they had been
     *     requested
     * @param damaged records that could not be read at the start
     * @param torn segments that had an incomplete end at the start
     */
    public record Upkeep(long aged, long renewed, long damaged, long torn) {}
}
