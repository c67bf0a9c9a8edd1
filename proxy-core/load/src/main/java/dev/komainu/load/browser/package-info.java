/**
 * Browsers without a screen. In: pages to look at, from an address of one's own. Out: an
 * {@link dev.komainu.load.browser.RequestOutcome} for each object, with the instants of wish, first
 * and last byte. Thread: a browser lives on one event loop. It knows nobody else of the load: who
 * comes when, and what is counted, is decided outside.
 */
@NullMarked
package dev.komainu.load.browser;

import org.jspecify.annotations.NullMarked;
