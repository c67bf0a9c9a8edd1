package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.TelemetryRecord;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

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
        return readLines(new ByteArrayInputStream(ndjson), bytes -> {});
    }

    /**
     * Reads newline-delimited records, one line at a time.
     *
     * @param memory called with the heap bytes that a line will need, before it is parsed, and with
     *     a negative number when it needs them no longer; an unchecked exception from it ends the
     *     reading
     */
    public static List<TelemetryRecord> readLines(InputStream ndjson, LongConsumer memory)
            throws MalformedBatchException {
        List<TelemetryRecord> records = new ArrayList<>();
        JsonLinesReader lines = new JsonLinesReader(ndjson);
        for (String line = lines.next(); line != null; line = lines.next()) {
            if (line.isBlank()) {
                continue;
            }
            if (records.size() == WireLimits.MAX_RECORDS) {
                throw MalformedBatchException.atLine(
                        lines.number(), 1, "more than " + WireLimits.MAX_RECORDS + " records");
            }
            long parsing = (long) WireLimits.PARSING_BYTES_PER_CHAR * line.length();
            memory.accept(parsing);
            records.add(read(line, lines.number()));
            memory.accept(WireLimits.RECORD_HEAP_BYTES
                    + (long) WireLimits.HEAP_BYTES_PER_BYTE * line.length()
                    - parsing);
        }
        return records;
    }

    /**
     * Reads newline-delimited records from zstd frames, one line at a time.
     *
     * @param memory as for {@link #readLines(InputStream, LongConsumer)}
     */
    public static List<TelemetryRecord> readCompressedLines(
            InputStream compressed, LongConsumer memory) throws MalformedBatchException {
        try (Compression.Expansion plain =
                Compression.expanding(compressed, WireLimits.MAX_BATCH_BYTES)) {
            return readLines(plain, memory);
        } catch (IOException e) {
            throw MalformedBatchException.whole("not readable: " + e.getMessage());
        }
    }
}
