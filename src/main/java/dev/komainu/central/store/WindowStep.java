package dev.komainu.central.store;

/**
 * The windows of one service within one step, summed: counters added, means weighted by time,
 * maxima taken, distributions merged, so that percentiles of a step are true ones.
 *
 * @param fromMicros start of the step, a multiple of its length
 * @param lengthMicros length of the step
 * @param coveredMicros time within it that windows told of: divide counters by this to get rates
 * @param total its {@code lengthMicros} is the step's
 */
public record WindowStep<W>(long fromMicros, long lengthMicros, long coveredMicros, W total) {}
