package dev.komainu.telemetry.record;

/**
 * One window of a server's own access log, for comparison with the packets (thesis 3.3: 550
 * concurrent connections by the log, 13,000 by the packets). A log contains requests, not
 * connections, and only completed ones.
 *
 * @param service the watched service's id as the source knows it
 * @param fromMicros start of the window, a multiple of its length
 * @param lengthMicros length of the window
 * @param file the log, as the host names it
 * @param format {@code common}, {@code combined}, {@code nginx}, {@code apache} or {@code squid}
 * @param counts the counts of the lines of the log
 * @param concurrentMean requests in progress according to the log: time-weighted mean from the
 *     entries' start to end
 * @param concurrentMax highest number of requests in progress
 * @param durations the durations of the requests
 */
public record AccessLogWindow(
        String service,
        long fromMicros,
        long lengthMicros,
        String file,
        String format,
        Counts counts,
        double concurrentMean,
        long concurrentMax,
        Durations durations)
        implements TelemetryRecord {

    /**
     * The counts of the lines of the log.
     *
     * @param entries requests finished in this window according to the log
     * @param errors entries with status 500 to 599
     * @param bytes bytes sent, as logged
     * @param unreadable lines that do not have this format
     */
    @FieldGroup
    public record Counts(long entries, long errors, long bytes, long unreadable) {}

    /**
     * The durations of the requests.
     *
     * @param hasDurations whether the log contains durations; without them an entry counts as one
     *     instant
     * @param resolutionMicros finest step of the log's times
     * @param duration T_c according to the log: start to end of the entries finished in this window
     */
    @FieldGroup
    public record Durations(boolean hasDurations, long resolutionMicros, Distribution duration) {}

    @Override
    public long atMicros() {
        return fromMicros + lengthMicros;
    }
}
