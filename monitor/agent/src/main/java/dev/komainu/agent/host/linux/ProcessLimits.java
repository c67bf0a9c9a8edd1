package dev.komainu.agent.host.linux;

import org.jspecify.annotations.Nullable;

/** A parser of {@code /proc/PID/limits}: the resource limits of a process. */
public final class ProcessLimits {

    /** The value of {@code unlimited}. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    private ProcessLimits() {}

    /** Returns the soft limit of open files; null when the text has none. */
    public static @Nullable Long openFiles(@Nullable String text) {
        return soft(text, "Max open files");
    }

    /** Returns the soft limit of this user's processes; null when the text has none. */
    public static @Nullable Long processes(@Nullable String text) {
        return soft(text, "Max processes");
    }

    private static @Nullable Long soft(@Nullable String text, String name) {
        int at = text == null ? -1 : text.indexOf(name);
        if (text == null || at < 0) {
            return null;
        }
        int end = text.indexOf('\n', at);
        String line = text.substring(at + name.length(), end < 0 ? text.length() : end);
        String value = line.strip().split("\\s+")[0];
        return value.equals("unlimited") ? Long.valueOf(UNLIMITED) : DecimalCounters.of(value);
    }
}
