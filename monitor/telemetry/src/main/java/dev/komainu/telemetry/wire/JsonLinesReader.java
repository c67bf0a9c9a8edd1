package dev.komainu.telemetry.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A reader of UTF-8 lines of limited length from a stream. Belongs to one thread. */
final class JsonLinesReader {

    /** Bytes of the longest line: four for each character. */
    private static final int MAX_LINE_BYTES = 4 * WireLimits.MAX_LINE_CHARS;

    private final InputStream in;
    private final byte[] piece = new byte[64 << 10];
    private int from;
    private int to;
    private long number;

    JsonLinesReader(InputStream in) {
        this.in = in;
    }

    /** Returns the number of the last line, from 1. */
    long number() {
        return number;
    }

    /** Returns the next line without its line break; null at the end. */
    @Nullable
    String next() throws MalformedBatchException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(128);
        boolean any = false;
        while (from < to || filled()) {
            any = true;
            int end = from;
            while (end < to && piece[end] != '\n') {
                end++;
            }
            line.write(piece, from, end - from);
            boolean complete = end < to;
            from = complete ? end + 1 : end;
            if (complete) {
                break;
            }
            if (line.size() > MAX_LINE_BYTES) {
                throw MalformedBatchException.atLine(
                        number + 1,
                        1,
                        "more than " + MAX_LINE_BYTES + " bytes (expected: a line of at most "
                                + WireLimits.MAX_LINE_CHARS + " characters)");
            }
        }
        if (!any) {
            return null;
        }
        number++;
        return line.toString(StandardCharsets.UTF_8);
    }

    private boolean filled() throws MalformedBatchException {
        try {
            from = 0;
            to = Math.max(0, in.read(piece));
            return to > 0;
        } catch (IOException e) {
            throw MalformedBatchException.whole(String.valueOf(e.getMessage()));
        }
    }
}
