package dev.komainu.proxy.disk;

import java.util.Map;

/**
 * The state of the tier at one instant, and its counts since the start.
 *
 * @param bytes bytes of all segments
 * @param limitBytes limit of {@code bytes}
 * @param protectedBytes bytes of records that had priority when they were last written
 * @param indexBytes heap bytes of the index; not part of {@code cache.memory}
 * @param asked requested reads of indexed records: the sum of {@code found} and all of
 *     {@code unread}
 * @param unread requested reads without a result, by reason
 * @param kept responses that left memory while the same was already on the disk
 * @param unwritten responses that left memory and were not written, by reason
 * @param aged records dropped with the oldest segment
 * @param renewed records rewritten before their segment was dropped, because they had been
 *     requested
 * @param damaged records that could not be read at the start
 * @param torn segments that had an incomplete end at the start
 * @param queue reads waiting or in progress
 * @param waitingBytes bytes of responses that wait to be written
 * @param readP95Micros time from request to result in the last second with reads; 0: none
 */
public record DiskFigures(
        long records,
        long bytes,
        long limitBytes,
        long protectedBytes,
        int segments,
        long indexBytes,
        long asked,
        long found,
        long foundBytes,
        Map<String, Long> unread,
        long written,
        long writtenBytes,
        long kept,
        Map<String, Long> unwritten,
        long aged,
        long renewed,
        long damaged,
        long torn,
        int queue,
        long waitingBytes,
        long readP95Micros) {}
