/**
 * The union of what several sources saw of one service (thesis 7.2.3: several monitors behind a
 * switch each see some of the connections).
 *
 * <p>In: the windows of all sources and, while several sources report one service, their
 * connections. Out: one window for each second in which each connection counts once, for the rings
 * and the store, and the share of the connections that each source sees. Thread: those of the
 * batches; each service has its own lock. Start at {@link dev.komainu.central.union.ServiceUnions}.
 *
 * <p>Decision: docs/decisions/0111-parts-of-a-whole.md
 */
@NullMarked
package dev.komainu.central.union;

import org.jspecify.annotations.NullMarked;
