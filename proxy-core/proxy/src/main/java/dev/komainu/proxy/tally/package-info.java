/**
 * The counters of each event loop. In: increments by the loop itself. Out: sums, collected once a
 * second by a task on that loop. Thread: the owning loop only; so counting costs one addition and
 * no fence. Start at {@link dev.komainu.proxy.tally.LoopTally}.
 *
 * <p>Decision: docs/decisions/0096-prometheus-text-pages.md
 */
@NullMarked
package dev.komainu.proxy.tally;

import org.jspecify.annotations.NullMarked;
