package dev.komainu.bench.fleet;

import dev.komainu.telemetry.wire.Compression;
import dev.komainu.telemetry.wire.MalformedBatchException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The lines of an extract of a recording, as {@code ./komainu replay --extract-to} writes them.
 *
 * @param lines in the order of their arrival at the central service
 */
record RecordedLines(List<Line> lines) {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int MOST_BYTES = 256 << 20;

    /**
     * A record.
     *
     * @param arrivedMicros time of its arrival at the central service
     * @param source name of the source that reported it
     * @param record the record in its JSON form
     */
    record Line(long arrivedMicros, String source, JsonNode record) {}

    static RecordedLines read(Path file) throws IOException {
        byte[] plain;
        try {
            plain = Compression.expand(Files.readAllBytes(file), MOST_BYTES);
        } catch (MalformedBatchException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
        return of(new String(plain, StandardCharsets.UTF_8));
    }

    static RecordedLines of(String text) {
        return new RecordedLines(text.lines()
                .map(JSON::readTree)
                .map(line -> new Line(
                        line.required("arrivedMicros").asLong(),
                        line.required("source").asString(),
                        line.required("record")))
                .toList());
    }
}
