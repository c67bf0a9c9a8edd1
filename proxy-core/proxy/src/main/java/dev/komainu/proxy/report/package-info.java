/**
 * The proxy's reports about itself. In: the loops' tallies, once a second. Out: records to a sink,
 * and the latest figures for callers. Thread: one of its own; each loop only adds up its tally.
 * Start at {@link dev.komainu.proxy.report.WindowReport}.
 */
@NullMarked
package dev.komainu.proxy.report;

import org.jspecify.annotations.NullMarked;
