package dev.komainu.agent.discovery;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.List;

/**
 * The resource limits of a server's processes: the limits of one worker, which a server often
 * raises after the fork (nginx's worker_rlimit_nofile), else those of its top process.
 */
final class ProcessResourceLimits {

    /** The kernel's title and the reported name of each limit, in the order reported. */
    private static final List<String[]> NAMES = List.of(
            new String[] {"Max open files", "nofile"},
            new String[] {"Max processes", "nproc"},
            new String[] {"Max stack size", "stack"},
            new String[] {"Max locked memory", "memlock"});

    private ProcessResourceLimits() {}

    static List<Setting> of(ProcFiles proc, long processId) {
        // The master's id is reported: a worker's id changes with every fork, so each scan would
        // report a change.
        String worker = worker(proc, processId);
        String text = worker.isEmpty() ? "" : proc.text(worker + "/limits");
        return text.isEmpty()
                ? parse(proc.text(processId + "/limits"), "/proc/" + processId + "/limits")
                : parse(text, "/proc/WORKER/limits, a child of " + processId);
    }

    private static String worker(ProcFiles proc, long processId) {
        List<String> workers = workers(proc, processId, 1);
        return workers.isEmpty() ? "" : workers.getFirst();
    }

    /**
     * Returns the ids of child processes that run the same program.
     *
     * @param most upper bound of their number
     */
    static List<String> workers(ProcFiles proc, long processId, int most) {
        String program = proc.link(processId + "/exe");
        List<String> workers = new ArrayList<>();
        for (String child : proc.text(processId + "/task/" + processId + "/children")
                .strip()
                .split("\\s+")) {
            if (workers.size() < most
                    && program != null
                    && child.matches("\\d{1,10}")
                    && program.equals(proc.link(child + "/exe"))) {
                workers.add(child);
            }
        }
        return workers;
    }

    /**
     * Parses {@code /proc/PID/limits}.
     *
     * <pre>
     *  Limit                     Soft Limit           Hard Limit           Units
     *  Max open files            1024                 1048576              files
     * </pre>
     */
    static List<Setting> parse(String text, String source) {
        List<Setting> settings = new ArrayList<>();
        for (String[] name : NAMES) {
            int at = text.indexOf(name[0]);
            int end = text.indexOf('\n', Math.max(0, at));
            String line = at < 0
                    ? ""
                    : text.substring(at + name[0].length(), end < 0 ? text.length() : end);
            String[] values = line.strip().split("\\s+");
            if (values.length >= 2 && isLimit(values[0]) && isLimit(values[1])) {
                settings.add(new Setting("limit:" + name[1], values[0], source));
                if (name[1].equals("nofile")) {
                    settings.add(new Setting("limit:nofile-hard", values[1], source));
                }
            }
        }
        return settings;
    }

    private static boolean isLimit(String value) {
        return value.equals("unlimited") || value.matches("\\d{1,20}");
    }
}
