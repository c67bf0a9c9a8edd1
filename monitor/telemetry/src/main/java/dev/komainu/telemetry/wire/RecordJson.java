package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.AccessLogWindow;
import dev.komainu.telemetry.record.ClusterView;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.OrderOutcome;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.ProxyWindow;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
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

    private static final String TYPES =
            "connection, serviceWindow, hostSample, serviceSighting, proxyExchange, proxyWindow, sourceStatus, "
                    + "accessLogWindow, orderOutcome, clusterView";

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
        switch (record) {
            case ConnectionRecord it -> ConnectionJson.write(it, out);
            case ServiceWindow it -> ServiceJson.writeWindow(it, out);
            case HostSample it -> HostJson.write(it, out);
            case ServiceSighting it -> ServiceJson.writeSighting(it, out);
            case ProxyExchange it -> ProxyJson.writeExchange(it, out);
            case ProxyWindow it -> ProxyJson.writeWindow(it, out);
            case SourceStatus it -> SourceJson.write(it, out);
            case AccessLogWindow it -> LogJson.write(it, out);
            case OrderOutcome it -> OrderJson.write(it, out);
            case ClusterView it -> ClusterJson.write(it, out);
        }
        out.finish();
    }

    /** Returns the kind's name in JSON, such as {@code serviceWindow}. */
    public static String typeOf(TelemetryRecord record) {
        return switch (record) {
            case ConnectionRecord any -> "connection";
            case ServiceWindow any -> "serviceWindow";
            case HostSample any -> "hostSample";
            case ServiceSighting any -> "serviceSighting";
            case ProxyExchange any -> "proxyExchange";
            case ProxyWindow any -> "proxyWindow";
            case SourceStatus any -> "sourceStatus";
            case AccessLogWindow any -> "accessLogWindow";
            case OrderOutcome any -> "orderOutcome";
            case ClusterView any -> "clusterView";
        };
    }

    /**
     * Reads one line.
     *
     * @param lineNumber from 1, for the message
     * @throws MalformedBatchException naming line, column, field, value and expected value
     */
    public static TelemetryRecord read(String line, long lineNumber)
            throws MalformedBatchException {
        JsonObjectReader in = JsonLine.parse(line, lineNumber);
        return switch (in.text("type")) {
            case "connection" -> ConnectionJson.read(in);
            case "serviceWindow" -> ServiceJson.readWindow(in);
            case "hostSample" -> HostJson.read(in);
            case "serviceSighting" -> ServiceJson.readSighting(in);
            case "proxyExchange" -> ProxyJson.readExchange(in);
            case "proxyWindow" -> ProxyJson.readWindow(in);
            case "sourceStatus" -> SourceJson.read(in);
            case "accessLogWindow" -> LogJson.read(in);
            case "orderOutcome" -> OrderJson.read(in);
            case "clusterView" -> ClusterJson.read(in);
            default ->
                in.oneOf(
                        "type",
                        label -> {
                            throw new IllegalArgumentException(label);
                        },
                        TYPES);
        };
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
