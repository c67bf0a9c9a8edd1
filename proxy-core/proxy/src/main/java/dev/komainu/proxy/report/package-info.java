/**
 * What the proxy tells about itself. In: the loops' tallies, once a second. Out: records to a sink,
 * and the latest figures to whoever asks. Thread: one of its own; loops are only asked to add up.
 * Start at {@link dev.komainu.proxy.report.WindowReport}.
 */
@NullMarked
package dev.komainu.proxy.report;

import org.jspecify.annotations.NullMarked;
