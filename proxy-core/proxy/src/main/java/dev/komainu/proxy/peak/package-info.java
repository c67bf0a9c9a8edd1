/**
 * The decision between peak and off-peak. At the peak the proxy serves from memory only: no request
 * causes a disk access.
 *
 * <p>In: one {@link dev.komainu.proxy.peak.SecondReading} a second, and administrators' orders.
 * Out: a decision with its reason, applied to the disk tier. The evaluation
 * ({@link dev.komainu.proxy.peak.LoadDemand}, {@link dev.komainu.proxy.peak.PeakHistory},
 * {@link dev.komainu.proxy.peak.PeakDecision}) uses no clock and no thread;
 * {@link dev.komainu.proxy.peak.PeakMonitor} is the one thread that calls it. Start at
 * {@link dev.komainu.proxy.peak.PeakDecision}.
 *
 * <p>Decision: docs/decisions/0064-the-peak-decision.md
 */
@NullMarked
package dev.komainu.proxy.peak;

import org.jspecify.annotations.NullMarked;
