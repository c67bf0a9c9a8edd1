/**
 * Replays of the cache policies and of the partition without a network. Their tables are shown on
 * the pages about the papers.
 *
 * <p>In: sizes, popularities and seeds on the command line. Out: tables and columns for figures.
 * Thread: one. Start at {@link dev.komainu.bench.replay.PartitionReplay}.
 *
 * <p>Decision: docs/decisions/0067-no-sendfile.md
 */
@NullMarked
package dev.komainu.bench.replay;

import org.jspecify.annotations.NullMarked;
