package dev.komainu.agent.lab;

import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.RecordJson;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Records that an agent printed, and how two of them differ. */
public final class Records {

    private Records() {}

    /** Whole lines of the file so far. */
    public static List<TelemetryRecord> of(Path printed) throws IOException {
        String text = Files.readString(printed);
        List<TelemetryRecord> records = new ArrayList<>();
        for (String line : text.substring(0, text.lastIndexOf('\n') + 1).split("\n")) {
            if (!line.isEmpty()) {
                records.add(Objects.requireNonNull(parse(line), line));
            }
        }
        return records;
    }

    public static <T extends TelemetryRecord> List<T> of(Path printed, Class<T> type)
            throws IOException {
        return of(printed).stream().filter(type::isInstance).map(type::cast).toList();
    }

    private static TelemetryRecord parse(String line) {
        try {
            return RecordJson.read(line, 1);
        } catch (Exception e) {
            throw new AssertionError(line, e);
        }
    }

    /**
     * Every field that differs, by its path: instants and durations (named {@code …Micros}) when
     * they are farther apart than {@code withinMicros}, all others when they are not equal.
     */
    public static List<String> differences(
            Object one, Object other, long withinMicros, Set<String> except) {
        List<String> differences = new ArrayList<>();
        compare("", one, other, withinMicros, except, differences);
        return differences;
    }

    private static void compare(
            String path,
            Object one,
            Object other,
            long within,
            Set<String> except,
            List<String> differences) {
        if (except.contains(path)) {
            return;
        }
        if (one instanceof Record a && other instanceof Record b && a.getClass() == b.getClass()) {
            for (RecordComponent part : a.getClass().getRecordComponents()) {
                compare(
                        path + "." + part.getName(),
                        get(part, a),
                        get(part, b),
                        within,
                        except,
                        differences);
            }
        } else if (one instanceof List<?> a && other instanceof List<?> b && a.size() == b.size()) {
            for (int i = 0; i < a.size(); i++) {
                compare(path + "[]", a.get(i), b.get(i), within, except, differences);
            }
        } else if (path.endsWith("Micros")
                && one instanceof Number a
                && other instanceof Number b) {
            if (Math.abs(a.longValue() - b.longValue()) > within) {
                differences.add(path + ": " + one + " / " + other);
            }
        } else if (!Objects.equals(one, other)) {
            differences.add(path + ": " + one + " / " + other);
        }
    }

    private static Object get(RecordComponent part, Object of) {
        try {
            return part.getAccessor().invoke(of);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(part.toString(), e);
        }
    }
}
