package dev.komainu.central.store;

/**
 * The windows of one service within one step, summed: counters are added, means are weighted by
 * time, maxima are kept, and distributions are merged, so that percentiles of a step are exact.
 *
 * @param fromMicros start of the step, a multiple of its length
 * @param lengthMicros length of the step
 * @param coveredMicros time of the step that windows cover: divide counters by this to get rates
 * @param total the sum; its {@code lengthMicros} is the step's
 */
public record WindowStep<W>(long fromMicros, long lengthMicros, long coveredMicros, W total) {}
