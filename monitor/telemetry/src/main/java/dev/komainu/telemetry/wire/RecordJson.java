package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.TelemetryRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Records as JSON, one flat object per line. {@code analyze --json} and {@code agent --print} write
 * this form, and {@code curl} may post it to the central service.
 *
 * <p>{@code type} names the kind. Names are those of {@code docs/formats/telemetry-wire.md}; names
 * of the two directions end in {@code Up} and {@code Down}; an endpoint is {@code address:port},
 * IPv6 in brackets; an absent key means "not observable", for a counter zero. Unknown keys are
 * ignored when reading.
 */
public final class RecordJson {

    private RecordJson() {}

    /** Returns the record on one line, without a line break. */
    public static String write(TelemetryRecord record) {
        JsonBytes line = new JsonBytes();
        append(record, line);
        return line.text();
    }

    /**
     * Appends the record to {@code line}, without a line break; for callers that write many
     * records.
     */
    public static void append(TelemetryRecord record, JsonBytes line) {
        JsonObjectWriter out = new JsonObjectWriter(typeOf(record), line);
        KindJson.write(record, out);
        out.finish();
    }

    /** Returns the kind's name in JSON, such as {@code serviceWindow}. */
    public static String typeOf(TelemetryRecord record) {
        return KindJson.type(record);
    }

    /**
     * Reads one line.
     *
     * @param lineNumber from 1, for the message
     * @throws MalformedBatchException naming line, column, field, value and expected value
     */
    public static TelemetryRecord read(String line, long lineNumber)
            throws MalformedBatchException {
        return KindJson.read(JsonLine.parse(line, lineNumber));
    }

    /**
     * Reads newline-delimited records (NDJSON, UTF-8); blank lines are ignored.
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
