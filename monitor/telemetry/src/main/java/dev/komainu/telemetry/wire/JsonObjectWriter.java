package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.Distribution;
import java.io.StringWriter;
import java.util.Base64;
import java.util.List;
import java.util.function.BiConsumer;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.JsonFactory;

/** Writes one JSON object on one line. What is {@code null} leaves no key: absent means not observable. */
final class JsonObjectWriter implements AutoCloseable {

    private static final JsonFactory FACTORY = new JsonFactory();

    private final StringWriter line = new StringWriter(512);
    private final JsonGenerator out = FACTORY.createGenerator(line);

    JsonObjectWriter(String type) {
        out.writeStartObject();
        out.writeStringProperty("type", type);
    }

    String finish() {
        out.writeEndObject();
        out.flush();
        return line.toString();
    }

    @Override
    public void close() {
        out.close();
    }

    void text(String name, @Nullable String value) {
        if (value != null) {
            out.writeStringProperty(name, value);
        }
    }

    void int64(String name, long value) {
        out.writeNumberProperty(name, value);
    }

    void int64OrAbsent(String name, @Nullable Long value) {
        if (value != null) {
            out.writeNumberProperty(name, value);
        }
    }

    void int32OrAbsent(String name, @Nullable Integer value) {
        if (value != null) {
            out.writeNumberProperty(name, value);
        }
    }

    /** JSON has no infinity and no NaN: such a value is not observable, so it is left out. */
    void number(String name, @Nullable Double value) {
        if (value != null && Double.isFinite(value)) {
            out.writeNumberProperty(name, value);
        }
    }

    /**
     * Count, three percentiles and maximum for people, the whole histogram (Base64) for machines; only the histogram is
     * read back.
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

    void texts(String name, List<String> values) {
        out.writeName(name);
        out.writeStartArray();
        for (String value : values) {
            out.writeString(value);
        }
        out.writeEndArray();
    }

    <T> void objects(String name, List<T> values, BiConsumer<T, JsonObjectWriter> layout) {
        out.writeName(name);
        out.writeStartArray();
        for (T value : values) {
            out.writeStartObject();
            layout.accept(value, this);
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    <T> void objectOrAbsent(String name, @Nullable T value, BiConsumer<T, JsonObjectWriter> layout) {
        if (value != null) {
            out.writeObjectPropertyStart(name);
            layout.accept(value, this);
            out.writeEndObject();
        }
    }
}
