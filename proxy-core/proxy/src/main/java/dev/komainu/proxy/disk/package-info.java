/**
 * The disk tier: stored answers that memory has no room for, in segment files, while there is time
 * for disks.
 *
 * <p>In: answers that leave the memory cache, purges, questions for a key. Out: answers put back
 * into the memory cache, where they are served from. Thread: readers and one writer of this room's
 * own; an event loop only ever looks into the index and leaves word in a queue. Start at
 * {@link dev.komainu.proxy.disk.DiskTier}; the files: {@code docs/formats/disk-tier.md}.
 *
 * <p>Decisions: docs/decisions/0063-disk-tier.md, docs/decisions/0065-priority-on-disk.md,
 * docs/decisions/0067-no-sendfile.md
 */
@NullMarked
package dev.komainu.proxy.disk;

import org.jspecify.annotations.NullMarked;
