package dev.komainu.agent.host.linux;

import org.jspecify.annotations.Nullable;

/**
 * {@code /proc/PID/stat}: one process.
 *
 * @param name the kernel's short name of the process (15 characters at most)
 * @param parentId 0 for the first process
 * @param cpuTicks user and kernel time of the process and of children it has waited for, so that a
 *     child's time is not lost when it ends
 * @param threads at least 1
 * @param startTicks start time in ticks since boot; together with the id it identifies a process
 *     uniquely
 * @param residentPages RSS
 */
public record ProcessStat(
        String name,
        long parentId,
        long cpuTicks,
        int threads,
        long startTicks,
        long residentPages) {

    /** Parses the file; null when the text is missing or malformed. */
    public static @Nullable ProcessStat parse(@Nullable String text) {
        // The name may contain spaces and parentheses: the last parenthesis closes it.
        int open = text == null ? -1 : text.indexOf('(');
        int close = text == null ? -1 : text.lastIndexOf(')');
        if (text == null || open < 0 || close < open) {
            return null;
        }
        String[] f = text.substring(close + 1).strip().split("\\s+");
        if (f.length < 22) {
            return null;
        }
        long ticks = 0;
        for (int i = 11; i <= 14; i++) {
            ticks += DecimalCounters.at(f, i, 0);
        }
        return new ProcessStat(
                text.substring(open + 1, close),
                DecimalCounters.at(f, 1, 0),
                ticks,
                (int) Math.clamp(DecimalCounters.at(f, 17, 1), 1, Integer.MAX_VALUE),
                DecimalCounters.at(f, 19, 0),
                DecimalCounters.at(f, 21, 0));
    }
}
