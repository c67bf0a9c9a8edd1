package dev.komainu.telemetry.record;

/**
 * What a server's own access log says of one window, to stand beside what the packets say (thesis
 * 3.3: 550 concurrent connections by the log, 13,000 by the packets). A log knows requests, not
 * connections, and only once they are done.
 *
 * @param service the watched service's id as the source knows it
 * @param fromMicros start of the window, a multiple of its length
 * @param lengthMicros length of the window
 * @param file the log, as the host names it
 * @param format {@code common}, {@code combined}, {@code nginx}, {@code apache} or {@code squid}
 * @param entries requests that the log says were finished in this window
 * @param errors those with status 500 to 599
 * @param bytes sent, as logged
 * @param unreadable lines that were no entries of this format
 * @param concurrentMean requests under way by the log: time-weighted mean of the entries' begin to
 *     end
 * @param concurrentMax the same, highest
 * @param hasDurations whether the log tells how long a request took; without, an entry counts as
 *     one instant
 * @param resolutionMicros finest step of the log's times
 * @param duration T_c as the log would have it: begin to end of the entries finished in this window
 */
public record AccessLogWindow(
        String service,
        long fromMicros,
        long lengthMicros,
        String file,
        String format,
        long entries,
        long errors,
        long bytes,
        long unreadable,
        double concurrentMean,
        long concurrentMax,
        boolean hasDurations,
        long resolutionMicros,
        Distribution duration)
        implements TelemetryRecord {

    @Override
    public long atMicros() {
        return fromMicros + lengthMicros;
    }
}
