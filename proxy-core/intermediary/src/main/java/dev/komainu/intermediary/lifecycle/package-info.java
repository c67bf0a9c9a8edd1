/**
 * The start, reload and end of a server, component by component. In: components in an order, and
 * changed settings. Out: all components open, or none. Thread: one at a time, any but an event
 * loop's. Start at {@link dev.komainu.intermediary.lifecycle.Components}.
 *
 * <p>Decision: docs/decisions/0043-reload-hands-policies-to-loops.md
 */
@NullMarked
package dev.komainu.intermediary.lifecycle;

import org.jspecify.annotations.NullMarked;
