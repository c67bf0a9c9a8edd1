package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.ConnectionParts;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.Endpoint;
import java.util.Base64;
import java.util.List;
import java.util.function.BiConsumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A writer of one JSON object on one line. A {@code null} value writes no key: absent means not
 * observable.
 */
final class JsonObjectWriter {

    private final JsonBytes out;

    /** Begins an object in {@code out}; {@link #finish} ends it. */
    JsonObjectWriter(String type, JsonBytes out) {
        this.out = out;
        out.open('{');
        text("type", type);
    }

    void finish() {
        out.close('}');
    }

    void text(String name, @Nullable String value) {
        if (value != null) {
            out.name(name);
            out.string(value);
        }
    }

    void endpoint(String name, @Nullable Endpoint value) {
        text(name, value == null ? null : value.toString());
    }

    void endpoints(String name, List<Endpoint> values) {
        texts(name, values.stream().map(Endpoint::toString).toList());
    }

    void int64(String name, long value) {
        out.name(name);
        out.number(value);
    }

    void int64OrAbsent(String name, @Nullable Long value) {
        if (value != null) {
            out.name(name);
            out.number(value);
        }
    }

    void int32OrAbsent(String name, @Nullable Integer value) {
        if (value != null) {
            out.name(name);
            out.number(value);
        }
    }

    /**
     * Writes a number. JSON has no infinity and no NaN, so such a value is left out as not
     * observable.
     */
    void number(String name, @Nullable Double value) {
        if (value != null && Double.isFinite(value)) {
            out.name(name);
            out.number(value);
        }
    }

    /**
     * Writes count, three percentiles and maximum for people, and the whole histogram (Base64) for
     * machines; only the histogram is read back.
     */
    void distribution(String name, Distribution value) {
        int64(name + "Count", value.count());
        if (value.count() > 0) {
            Histogram histogram = value.toHistogram();
            int64(name + "P50Micros", histogram.getValueAtPercentile(50));
            int64(name + "P95Micros", histogram.getValueAtPercentile(95));
            int64(name + "P99Micros", histogram.getValueAtPercentile(99));
            int64(name + "MaxMicros", histogram.getMaxValue());
            text(name + "Histogram", Base64.getEncoder().encodeToString(value.encoded()));
        }
    }

    /** Writes the number of parts for people, and all parts (Base64) for machines. */
    void parts(String name, ConnectionParts value) {
        int64(name + "Count", value.count());
        if (value.count() > 0) {
            text(name, Base64.getEncoder().encodeToString(value.encoded()));
        }
    }

    void texts(String name, List<String> values) {
        out.name(name);
        out.open('[');
        for (String value : values) {
            out.string(value);
        }
        out.close(']');
    }

    <T> void objects(String name, List<T> values, BiConsumer<T, JsonObjectWriter> layout) {
        out.name(name);
        out.open('[');
        for (T value : values) {
            out.open('{');
            layout.accept(value, this);
            out.close('}');
        }
        out.close(']');
    }

    <T> void objectOrAbsent(
            String name, @Nullable T value, BiConsumer<T, JsonObjectWriter> layout) {
        if (value != null) {
            out.name(name);
            out.open('{');
            layout.accept(value, this);
            out.close('}');
        }
    }
}
