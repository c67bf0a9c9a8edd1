package dev.komainu.central.store;

import java.util.Arrays;
import java.util.Optional;

/**
 * A kind of records that is exported, as a Parquet file of its own. Each file has the columns that
 * the store filters by, and {@code record}: the whole record as JSON, by the names of
 * {@code docs/formats/telemetry-wire.md}.
 */
public enum ExportKind {
    /** Connections; the instant is their end. */
    CONNECTIONS(
            "connections",
            "connections",
            "service, source, client, duration AS duration_us, CASE WHEN response >= 0 THEN response END"
                    + " AS slowest_response_us, nullif(targets, '') AS targets",
            "true"),
    /** Exchanges of Komainu's proxies. */
    EXCHANGES(
            "exchanges",
            "exchanges",
            "service, source, client, CASE WHEN response >= 0 THEN response END AS response_us, target",
            "true"),
    /** Windows of a second, of services and of proxies; the instant is their start. */
    WINDOWS("windows", "windows", "service, source", "true"),
    /** Samples of hosts. */
    SAMPLES("samples", "facts", "subject AS node, source", "kind = " + Rows.HOST_SAMPLE);

    private final String text;
    private final String table;
    private final String columns;
    private final String condition;

    ExportKind(String text, String table, String columns, String condition) {
        this.text = text;
        this.table = table;
        this.columns = columns;
        this.condition = condition;
    }

    /** Returns the name in paths. */
    public String text() {
        return text;
    }

    public static Optional<ExportKind> of(String text) {
        return Arrays.stream(values()).filter(kind -> kind.text.equals(text)).findFirst();
    }

    /**
     * Returns the query of all records of a day in SQL.
     *
     * @param json name of the function from a record in Base64 to JSON
     */
    String query(DayFile file, String json) {
        return "SELECT make_timestamp(instant) AS instant, " + columns + ", " + json
                + "(to_base64(body)) AS record FROM " + file.name() + "." + table + " WHERE "
                + condition;
    }
}
