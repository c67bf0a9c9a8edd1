package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.TelemetryRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Records as JSON, one flat object on one line: what {@code analyze --json} and {@code agent
 * --print} write and what {@code curl} may post to the central service.
 *
 * <p>{@code type} names the kind. Names are those of {@code docs/formats/telemetry-wire.md}; what
 * goes up and down ends in {@code Up} and {@code Down}; an endpoint is {@code address:port}, IPv6
 * in brackets; an absent key means "not observable", for a counter zero. Unknown keys are passed
 * over when reading.
 */
public final class RecordJson {

    private RecordJson() {}

    /** The record on one line, without a line end. */
    public static String write(TelemetryRecord record) {
        JsonBytes line = new JsonBytes();
        append(record, line);
        return line.text();
    }

    /** Appends the record to {@code line}, without a line end: for whoever writes many. */
    public static void append(TelemetryRecord record, JsonBytes line) {
        JsonObjectWriter out = new JsonObjectWriter(typeOf(record), line);
        KindJson.write(record, out);
        out.finish();
    }

    /** The kind's name in JSON, such as {@code serviceWindow}. */
    public static String typeOf(TelemetryRecord record) {
        return KindJson.type(record);
    }

    /**
     * Reads one line.
     *
     * @param lineNumber from 1, for the message
     * @throws MalformedBatchException naming line, column, field, value and expectation
     */
    public static TelemetryRecord read(String line, long lineNumber)
            throws MalformedBatchException {
        return KindJson.read(JsonLine.parse(line, lineNumber));
    }

    /**
     * Reads newline-delimited records (NDJSON, UTF-8); blank lines are passed over.
     *
     * @throws MalformedBatchException for the first line that is no record, or beyond
     *     {@link WireLimits}
     */
    public static List<TelemetryRecord> readLines(byte[] ndjson) throws MalformedBatchException {
        List<TelemetryRecord> records = new ArrayList<>();
        long number = 0;
        int from = 0;
        while (from < ndjson.length) {
            int to = from;
            while (to < ndjson.length && ndjson[to] != '\n') {
                to++;
            }
            number++;
            String line = new String(ndjson, from, to - from, StandardCharsets.UTF_8);
            if (!line.isBlank()) {
                if (records.size() == WireLimits.MAX_RECORDS) {
                    throw MalformedBatchException.atLine(
                            number, 1, "more than " + WireLimits.MAX_RECORDS + " records");
                }
                records.add(read(line, number));
            }
            from = to + 1;
        }
        return records;
    }
}
