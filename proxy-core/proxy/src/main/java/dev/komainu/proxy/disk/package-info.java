/**
 * The disk tier: stored responses that no longer fit into memory, in segment files, used off-peak.
 *
 * <p>In: responses that leave the memory cache, purges, lookups of a key. Out: responses restored
 * into the memory cache, which serves them. Threads: this package's readers and one writer; an
 * event loop only reads the index and adds to a queue. Start at
 * {@link dev.komainu.proxy.disk.DiskTier}; file format: {@code docs/formats/disk-tier.md}.
 *
 * <p>Decisions: docs/decisions/0063-disk-tier.md, docs/decisions/0065-priority-on-disk.md,
 * docs/decisions/0067-no-sendfile.md
 */
@NullMarked
package dev.komainu.proxy.disk;

import org.jspecify.annotations.NullMarked;
