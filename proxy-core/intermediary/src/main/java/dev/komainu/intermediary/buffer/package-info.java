/**
 * Socket buffers as a budget (DRM's E²-ATBT, section 3.1). In: TCP_INFO of each connection in use,
 * and the origin's connection that supplies each client's. Out: a share of {@code buffers.budget}
 * for each, kept by limiting the outstanding bytes. Thread: each share belongs to one event loop;
 * once a second a thread of its own adds up the demands of all loops. Start at
 * {@link dev.komainu.intermediary.buffer.BufferBudget}.
 *
 * <p>Decision: docs/decisions/0062-buffers-by-bytes-outstanding.md
 */
@NullMarked
package dev.komainu.intermediary.buffer;

import org.jspecify.annotations.NullMarked;
