package dev.komainu.agent.discovery.haproxy;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code Cpus_allowed_list: 0-3,8} of {@code /proc/PID/status}. Pure. */
final class CpuList {

    private static final Pattern LINE = Pattern.compile("Cpus_allowed_list:\\s*([0-9,-]{1,400})");

    private CpuList() {}

    /** How many; 0 when the text has no such line. */
    static int count(String status) {
        Matcher matcher = LINE.matcher(status);
        int count = 0;
        if (matcher.find()) {
            for (String range : String.valueOf(matcher.group(1)).split(",")) {
                String[] ends = range.split("-");
                if (ends.length == 1 && ends[0].matches("\\d{1,5}")) {
                    count++;
                } else if (ends.length == 2 && ends[0].matches("\\d{1,5}") && ends[1].matches("\\d{1,5}")) {
                    count += Math.max(0, Integer.parseInt(ends[1]) - Integer.parseInt(ends[0]) + 1);
                }
            }
        }
        return count;
    }
}
