package dev.komainu.proxy.peak;

import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The file of a {@link PeakHistory}: text, one line for each day, replaced as a whole. Unreadable
 * lines are skipped.
 *
 * <pre>
 *   komainu-rhythm 1 DAY_MILLIS
 *   DAY FROM-TO,FROM-TO,… MEAN MEAN …    onsets in milliseconds of the day (- for none); arrivals a second by bucket (- : not measured)
 * </pre>
 */
public final class PeakHistoryFile {

    private static final String HEAD = "komainu-rhythm 1 ";

    private PeakHistoryFile() {}

    /**
     * Reads a file into a history.
     *
     * @return the number of unreadable lines; a file with another length of days counts as one
     */
    public static int read(Path file, PeakHistory into) throws IOException {
        if (!Files.exists(file)) {
            return 0;
        }
        List<String> lines = Files.readAllLines(file);
        if (lines.isEmpty() || !lines.getFirst().equals(HEAD + into.dayMillis())) {
            return 1;
        }
        int unread = 0;
        for (String line : lines.subList(1, lines.size())) {
            try {
                String[] words = line.split(" ");
                into.restore(Long.parseLong(words[0]), day(words));
            } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
                unread++;
            }
        }
        return unread;
    }

    private static PeakHistory.Day day(String[] words) {
        PeakHistory.Day day = new PeakHistory.Day();
        if (!words[1].equals("-")) {
            for (String onset : words[1].split(",")) {
                String[] ends = onset.split("-");
                if (day.onsets.size() < PeakHistory.MAX_ONSETS) {
                    day.onsets.add(new PeakHistory.Onset(
                            Long.parseLong(ends[0]), Long.parseLong(ends[1])));
                }
            }
        }
        if (words.length != 2 + PeakHistory.BUCKETS) {
            throw new IllegalArgumentException("buckets: " + (words.length - 2));
        }
        for (int i = 0; i < PeakHistory.BUCKETS; i++) {
            if (!words[2 + i].equals("-")) {
                day.sums[i] = Double.parseDouble(words[2 + i]);
                day.counts[i] = 1;
            }
        }
        return day;
    }

    /** Writes a history, replacing the file atomically. */
    public static void write(Path file, PeakHistory history) throws IOException {
        List<String> lines = new ArrayList<>();
        lines.add(HEAD + history.dayMillis());
        for (Map.Entry<Long, PeakHistory.Day> entry : history.days().entrySet()) {
            lines.add(line(entry.getKey(), entry.getValue()));
        }
        PrivateFiles.replace(
                file, (String.join("\n", lines) + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    private static String line(long number, PeakHistory.Day day) {
        StringBuilder out = new StringBuilder(2048).append(number).append(' ');
        String separator = "";
        for (PeakHistory.Onset onset : day.onsets) {
            out.append(separator).append(onset.fromMillis()).append('-').append(onset.toMillis());
            separator = ",";
        }
        if (day.onsets.isEmpty()) {
            out.append('-');
        }
        for (int i = 0; i < PeakHistory.BUCKETS; i++) {
            double mean = day.mean(i);
            out.append(Double.isNaN(mean) ? " -" : String.format(Locale.ROOT, " %.1f", mean));
        }
        return out.toString();
    }
}
