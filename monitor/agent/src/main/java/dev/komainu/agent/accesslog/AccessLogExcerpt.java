package dev.komainu.agent.accesslog;

import dev.komainu.telemetry.record.AccessLogWindow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One access log read as a whole, over a stretch of time, for comparison with a capture of the same
 * time. Single thread.
 */
public final class AccessLogExcerpt {

    private static final int MOST_SPANS = 1 << 23;
    /** Number of lines from which a format is recognised. */
    private static final int SAMPLE = 200;

    private static final long SAMPLE_BYTES = 1 << 20;

    /** Known formats in the order of the attempts: a stricter format is tried earlier. */
    private static final List<String> KNOWN = List.of(
            "squid",
            "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\" %D",
            "combined",
            "common");

    private AccessLogExcerpt() {}

    /**
     * Returns the known format that reads most of the first lines.
     *
     * @throws UnreadableFormatException when no known format reads any line
     */
    public static LogLinePattern recognise(Path file)
            throws IOException, UnreadableFormatException {
        LogLinePattern best = null;
        int most = 0;
        for (String known : KNOWN) {
            LogLinePattern format = LogLinePattern.compile(known);
            int read = readable(file, format);
            if (read > most) {
                most = read;
                best = format;
            }
        }
        if (best == null) {
            throw new UnreadableFormatException(
                    "no line of " + file + " is common, combined or Squid's native format");
        }
        return best;
    }

    private static int readable(Path file, LogLinePattern format) throws IOException {
        ParsedLogLine entry = new ParsedLogLine();
        int[] counts = new int[2];
        try (LineReader reader = new LineReader(file, false)) {
            reader.read(SAMPLE_BYTES, new LogLineListener() {
                @Override
                public void line(byte[] bytes, int from, int to) {
                    if (counts[0]++ < SAMPLE && format.read(bytes, from, to, entry)) {
                        counts[1]++;
                    }
                }

                @Override
                public void unreadable() {}
            });
        }
        return counts[1];
    }

    /**
     * Returns the log's windows between two instants, each a multiple of the windows' length. An
     * entry that ends outside a window counts for the window's N_c while it is in progress.
     */
    public static List<AccessLogWindow> windows(
            Path file, LogLinePattern format, long lengthMicros, long fromMicros, long toMicros)
            throws IOException {
        List<AccessLogWindow> reported = new ArrayList<>();
        AccessLogWindows windows = new AccessLogWindows(
                "", file.toString(), format, lengthMicros, 0, MOST_SPANS, fromMicros, record -> {
                    if (record instanceof AccessLogWindow window) {
                        reported.add(window);
                    }
                });
        ParsedLogLine entry = new ParsedLogLine();
        try (LineReader reader = new LineReader(file, false)) {
            reader.read(Long.MAX_VALUE, new LogLineListener() {
                @Override
                public void line(byte[] bytes, int from, int to) {
                    if (format.read(bytes, from, to, entry)) {
                        windows.add(entry, entry.timeMicros + Math.max(0, entry.durationMicros));
                    } else {
                        windows.unreadable(fromMicros);
                    }
                }

                @Override
                public void unreadable() {
                    windows.unreadable(fromMicros);
                }
            });
        }
        windows.flush(toMicros);
        return reported;
    }
}
