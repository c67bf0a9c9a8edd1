package dev.komainu.agent.discovery;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the kernel lets a server's processes have: the limits of one of its workers, which a server often raises after it
 * forked (nginx's worker_rlimit_nofile), else those of its top process.
 */
final class ProcessBounds {

    private static final Map<String, String> NAMES = Map.of(
            "Max open files", "nofile",
            "Max processes", "nproc",
            "Max stack size", "stack",
            "Max locked memory", "memlock");

    private ProcessBounds() {}

    static List<Setting> of(ProcFiles proc, long processId) {
        // A worker's id would change with every fork and make each look a change: its master's is told.
        String worker = worker(proc, processId);
        String text = worker.isEmpty() ? "" : proc.text(worker + "/limits");
        return text.isEmpty()
                ? parse(proc.text(processId + "/limits"), "/proc/" + processId + "/limits")
                : parse(text, "/proc/WORKER/limits, a child of " + processId);
    }

    private static String worker(ProcFiles proc, long processId) {
        String program = proc.link(processId + "/exe");
        for (String child : proc.text(processId + "/task/" + processId + "/children")
                .strip()
                .split("\\s+")) {
            if (program != null && child.matches("\\d{1,10}") && program.equals(proc.link(child + "/exe"))) {
                return child;
            }
        }
        return "";
    }

    /**
     * <pre>
     *  Limit                     Soft Limit           Hard Limit           Units
     *  Max open files            1024                 1048576              files
     * </pre>
     */
    static List<Setting> parse(String text, String source) {
        List<Setting> settings = new ArrayList<>();
        for (String line : text.split("\n")) {
            NAMES.forEach((title, name) -> {
                if (line.startsWith(title)) {
                    String[] values = line.substring(title.length()).strip().split("\\s+");
                    if (values.length >= 2 && isLimit(values[0]) && isLimit(values[1])) {
                        settings.add(new Setting("limit:" + name, values[0], source));
                        if (name.equals("nofile")) {
                            settings.add(new Setting("limit:nofile-hard", values[1], source));
                        }
                    }
                }
            });
        }
        return settings;
    }

    private static boolean isLimit(String value) {
        return value.equals("unlimited") || value.matches("\\d{1,20}");
    }
}
