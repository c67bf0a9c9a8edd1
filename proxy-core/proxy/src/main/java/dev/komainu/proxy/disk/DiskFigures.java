package dev.komainu.proxy.disk;

import java.util.Map;

/**
 * The tier at one instant; counts since its start.
 *
 * @param bytes of all segments
 * @param limitBytes most there may be
 * @param protectedBytes of records that had priority when they were written last
 * @param indexBytes heap that the index takes; not part of {@code cache.memory}
 * @param asked reads that were wanted of what the index knows; {@code found} and all of
 *     {@code unread} together
 * @param unread by reason
 * @param kept left memory while the same lay on the disk already
 * @param unwritten by reason
 * @param aged records that went with the oldest segment
 * @param renewed of what was to go with its segment, written again because it was asked for
 * @param damaged records that could not be read at the start
 * @param torn segments whose end was missing at the start
 * @param queue reads that wait or are under way
 * @param waitingBytes of answers that wait to be written
 * @param readP95Micros from question to answer, of the last seconds; 0: none
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
