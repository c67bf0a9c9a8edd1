package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.Distribution;
import java.io.IOException;

/** Wire fields of a server's own access log. */
final class LogFields {

    private LogFields() {}

    static void write(AccessLogWindow it, FieldWriter out) throws IOException {
        out.text(1, it.service());
        out.int64(2, it.fromMicros());
        out.int64(3, it.lengthMicros());
        out.text(4, it.file());
        out.text(5, it.format());
        out.int64(6, it.entries());
        out.int64(7, it.errors());
        out.int64(8, it.bytes());
        out.int64(9, it.unreadable());
        out.number(10, it.concurrentMean());
        out.int64(11, it.concurrentMax());
        out.int32(12, it.hasDurations() ? 1 : 0);
        out.int64(13, it.resolutionMicros());
        out.distribution(14, it.duration());
    }

    static AccessLogWindow read(FieldReader in) throws MalformedBatchException {
        String service = "";
        String file = "";
        String format = "";
        long[] counts = new long[14];
        double concurrentMean = 0;
        boolean hasDurations = false;
        Distribution duration = Distribution.empty();
        while (in.next()) {
            switch (in.field()) {
                case 1 -> service = in.text();
                case 4 -> file = in.text();
                case 5 -> format = in.text();
                case 2, 3, 6, 7, 8, 9, 11, 13 -> counts[in.field()] = in.int64();
                case 10 -> concurrentMean = in.number();
                case 12 -> hasDurations = in.int32() != 0;
                case 14 -> duration = in.distribution();
                default -> in.skip();
            }
        }
        return new AccessLogWindow(
                service,
                counts[2],
                counts[3],
                file,
                format,
                counts[6],
                counts[7],
                counts[8],
                counts[9],
                concurrentMean,
                counts[11],
                hasDurations,
                counts[13],
                duration);
    }
}
