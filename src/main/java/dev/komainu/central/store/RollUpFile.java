package dev.komainu.central.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The roll-ups of one length of one raw day, in a Parquet file that is written once and never
 * changed. Its name tells what it was made from, so that no other record of it is needed:
 *
 * <pre>
 * minutes/2026-11-21.1795255200000000.86400.parquet
 *         day        generation       batches
 * </pre>
 *
 * <p>The generation is the instant of arrival of the day file's first batch: after a clock was set
 * back, a day may get a second file when its first one was deleted. The number of batches tells
 * whether the day file received further ones after the roll-up.
 *
 * @param rows number of roll-ups
 * @param minMicros start of the first roll-up; {@code Long.MAX_VALUE} without any
 * @param maxMicros start of the last roll-up; {@code Long.MIN_VALUE} without any
 */
record RollUpFile(
        RollUpLevel level,
        LocalDate day,
        long generation,
        long batches,
        Path path,
        long rows,
        long minMicros,
        long maxMicros) {

    static final String SUFFIX = ".parquet";

    private static final Pattern NAME =
            Pattern.compile("(\\d{4}-\\d\\d-\\d\\d)\\.(\\d{1,18})\\.(\\d{1,18})\\.parquet");

    /** Returns the file that holds the roll-ups of a day file as it is now; it may not exist. */
    static RollUpFile of(Path directory, RollUpLevel level, DayFile file) {
        String name = file.day() + "." + file.generation() + "." + file.batches() + SUFFIX;
        return new RollUpFile(
                level,
                file.day(),
                file.generation(),
                file.batches(),
                directory.resolve(level.directory()).resolve(name),
                0,
                Long.MAX_VALUE,
                Long.MIN_VALUE);
    }

    /** Reads the name of a file; empty when it is another file. */
    static Optional<RollUpFile> of(RollUpLevel level, Path path) {
        Matcher name = NAME.matcher(path.getFileName().toString());
        if (!name.matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new RollUpFile(
                    level,
                    LocalDate.parse(name.group(1)),
                    Long.parseLong(name.group(2)),
                    Long.parseLong(name.group(3)),
                    path,
                    0,
                    Long.MAX_VALUE,
                    Long.MIN_VALUE));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    RollUpFile withRows(long count, long min, long max) {
        return new RollUpFile(level, day, generation, batches, path, count, min, max);
    }

    /** Reports whether the file was made from this day file, perhaps before its last batches. */
    boolean isOf(DayFile file) {
        return day.equals(file.day()) && generation == file.generation();
    }

    /** Reports whether the file has everything of this day file. */
    boolean isComplete(DayFile file) {
        return isOf(file) && batches == file.batches();
    }

    boolean overlaps(TimeRange range) {
        TimeRange whole = range.widened(level.micros());
        return maxMicros >= whole.fromMicros() && minMicros < whole.toMicros();
    }

    long bytes() {
        try {
            return Files.size(path);
        } catch (IOException e) {
            return 0;
        }
    }
}
