package dev.komainu.agent.host.linux;

import java.util.BitSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A parser of {@code Cpus_allowed_list: 0-3,8} in {@code /proc/PID/status} (proc_pid_status(5)):
 * affinity and cpuset together. Pure.
 */
public final class CpuList {

    private static final Pattern LINE = Pattern.compile("Cpus_allowed_list:\\s*([0-9,-]{1,400})");
    private static final int MOST = 65_536;

    private CpuList() {}

    /** Returns the number of CPUs; 0 when the text has no such line. */
    public static int count(String status) {
        return of(status).cardinality();
    }

    /** Returns the numbers of the CPUs; malformed ranges are left out. */
    public static BitSet of(String status) {
        BitSet cpus = new BitSet();
        Matcher matcher = LINE.matcher(status);
        if (matcher.find()) {
            for (String range : String.valueOf(matcher.group(1)).split(",")) {
                if (range.matches("\\d{1,5}(-\\d{1,5})?")) {
                    String[] ends = range.split("-");
                    int from = Integer.parseInt(ends[0]);
                    int to = Integer.parseInt(ends[ends.length - 1]);
                    if (from <= to && to < MOST) {
                        cpus.set(from, to + 1);
                    }
                }
            }
        }
        return cpus;
    }
}
