/**
 * When it is peak: memory only, no disk on behalf of a request.
 *
 * <p>In: one {@link dev.komainu.proxy.peak.SecondReading} of readings a second, and what
 * administrators order. Out: a decision with its reason, told to the disk tier. Judging
 * ({@link dev.komainu.proxy.peak.LoadDemand}, {@link dev.komainu.proxy.peak.PeakHistory},
 * {@link dev.komainu.proxy.peak.PeakDecision}) knows no clock and no thread;
 * {@link dev.komainu.proxy.peak.PeakMonitor} is the one thread that feeds them. Start at
 * {@link dev.komainu.proxy.peak.PeakDecision}.
 *
 * <p>Decision: docs/decisions/0064-the-peak-decision.md
 */
@NullMarked
package dev.komainu.proxy.peak;

import org.jspecify.annotations.NullMarked;
