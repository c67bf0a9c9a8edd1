/**
 * Socket buffers as a budget (DRM's E²-ATBT, section 3.1). In: what TCP tells of each connection in
 * use, which client's connection is fed by which origin's. Out: a share of {@code buffers.budget}
 * for each, held by writing no more than may be outstanding. Thread: flows and intakes belong to
 * one event loop each; once a second a thread of its own adds up what all loops want. Start at
 * {@link dev.komainu.intermediary.buffer.BufferBudget}.
 *
 * <p>Decision: docs/decisions/0062-buffers-by-bytes-outstanding.md
 */
@NullMarked
package dev.komainu.intermediary.buffer;

import org.jspecify.annotations.NullMarked;
