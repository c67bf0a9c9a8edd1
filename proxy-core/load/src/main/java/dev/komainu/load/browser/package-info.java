/**
 * Browsers without a screen.
 *
 * <p>In: pages to view, from an address of the visitor's own. Out: a
 * {@link dev.komainu.load.browser.RequestOutcome} for each object, with the instants of the
 * request, of the first and of the last byte. Thread: a browser uses one event loop. The package is
 * independent of the rest of the load, which schedules the visitors and counts the outcomes.
 */
@NullMarked
package dev.komainu.load.browser;

import org.jspecify.annotations.NullMarked;
