package dev.komainu.agent.summary;

import dev.komainu.telemetry.record.Distribution;
import org.HdrHistogram.AbstractHistogram;
import org.jspecify.annotations.Nullable;

/**
 * Recorder of one distribution of the current window of one service, reused from window to window.
 *
 * <p>A host may have a hundred services with nine distributions each, most of them silent most of
 * the time. So the histogram is allocated with the first value, grows with the longest one, and is
 * released after {@value #KEPT_WINDOWS} windows without any.
 */
final class DurationRecorder {

    private static final int KEPT_WINDOWS = 30;

    private @Nullable AbstractHistogram values;
    private int emptyWindows;

    /** Records a value, in microseconds unless the distribution has another unit. */
    void record(long value) {
        AbstractHistogram recorder = values;
        if (recorder == null) {
            recorder = Distribution.newSmallRecorder();
            values = recorder;
        }
        Distribution.record(recorder, value);
    }

    boolean isEmpty() {
        return values == null || values.getTotalCount() == 0;
    }

    /** Returns the values recorded since the last call. */
    Distribution take() {
        AbstractHistogram recorder = values;
        if (recorder == null) {
            return Distribution.empty();
        }
        if (recorder.getTotalCount() == 0) {
            if (++emptyWindows >= KEPT_WINDOWS) {
                values = null;
                emptyWindows = 0;
            }
            return Distribution.empty();
        }
        Distribution taken = Distribution.of(recorder);
        recorder.reset();
        emptyWindows = 0;
        return taken;
    }
}
