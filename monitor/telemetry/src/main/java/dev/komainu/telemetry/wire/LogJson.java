package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.AccessLogWindow;

/** JSON of a server's own access log. */
final class LogJson {

    private LogJson() {}

    static void write(AccessLogWindow it, JsonObjectWriter out) {
        out.text("service", it.service());
        out.int64("fromMicros", it.fromMicros());
        out.int64("lengthMicros", it.lengthMicros());
        out.text("file", it.file());
        out.text("format", it.format());
        out.int64("entries", it.entries());
        out.int64("errors", it.errors());
        out.int64("bytes", it.bytes());
        out.int64("unreadable", it.unreadable());
        out.number("concurrentMean", it.concurrentMean());
        out.int64("concurrentMax", it.concurrentMax());
        out.int64("hasDurations", it.hasDurations() ? 1 : 0);
        out.int64("resolutionMicros", it.resolutionMicros());
        out.distribution("duration", it.duration());
    }

    static AccessLogWindow read(JsonObjectReader in) throws MalformedBatchException {
        return new AccessLogWindow(
                in.text("service"),
                in.int64("fromMicros"),
                in.int64("lengthMicros"),
                in.text("file"),
                in.text("format"),
                in.count("entries"),
                in.count("errors"),
                in.count("bytes"),
                in.count("unreadable"),
                in.number("concurrentMean"),
                in.count("concurrentMax"),
                in.count("hasDurations") != 0,
                in.count("resolutionMicros"),
                in.distribution("duration"));
    }
}
