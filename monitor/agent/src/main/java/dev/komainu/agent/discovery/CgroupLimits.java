package dev.komainu.agent.discovery;

import dev.komainu.agent.host.linux.ControlGroupMounts;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a server's control group (cgroups(7)). The limits of parent groups apply too, so
 * the tightest limit on the path to the root is reported, with its file. Values have the format of
 * version 2; values of version 1 are converted:
 *
 * <pre>
 *  reported as          version 2     version 1
 *  cgroup:cpu.max       cpu.max       cpu.cfs_quota_us and cpu.cfs_period_us    "50000 100000" is half a CPU
 *  cgroup:memory.max    memory.max    memory.limit_in_bytes                     bytes
 *  cgroup:memory.high   memory.high
 *  cgroup:pids.max      pids.max      pids.max                                  processes and threads
 * </pre>
 *
 * {@code max} means that no group sets a limit. One thread at a time.
 */
final class CgroupLimits {

    /** The limit that version 1 reports for "no limit": its highest page-aligned number. */
    private static final double NO_LIMIT_V1 = 1L << 62;

    private final ProcFiles proc;
    private final ControlGroupMounts mounts;

    private record Candidate(String value, double weight, Path file) {}

    CgroupLimits(ProcFiles proc) {
        this.proc = proc;
        this.mounts = ControlGroupMounts.of(proc);
    }

    List<Setting> of(long processId) {
        List<Setting> settings = new ArrayList<>();
        for (ControlGroupMounts.Place place : mounts.places(proc.text(processId + "/cgroup"))) {
            if (place.has("cpu")) {
                add(settings, place, "cpu.max", List.of("cpu.cfs_quota_us", "cpu.cfs_period_us"));
            }
            if (place.has("memory")) {
                add(settings, place, "memory.max", List.of("memory.limit_in_bytes"));
            }
            if (place.unified()) {
                add(settings, place, "memory.high", List.of());
            }
            if (place.has("pids")) {
                add(settings, place, "pids.max", List.of("pids.max"));
            }
        }
        return settings;
    }

    /**
     * Adds the tightest value of one limit.
     *
     * @param filesV1 the files of version 1
     */
    private static void add(
            List<Setting> settings,
            ControlGroupMounts.Place place,
            String name,
            List<String> filesV1) {
        List<String> files = place.unified() ? List.of(name) : filesV1;
        ToDoubleFunction<String> weight =
                name.equals("cpu.max") ? CgroupLimits::cpus : CgroupLimits::amount;
        Candidate tightest = null;
        for (Path group : place.levels()) {
            String value = value(group, files);
            if (value != null) {
                double amount = weight.applyAsDouble(value);
                String shown = amount == Double.MAX_VALUE ? "max" : value;
                if (tightest == null || amount < tightest.weight()) {
                    tightest = new Candidate(shown, amount, group.resolve(files.getFirst()));
                }
            }
        }
        if (tightest != null
                && settings.stream().noneMatch(s -> s.name().equals("cgroup:" + name))) {
            settings.add(new Setting(
                    "cgroup:" + name, tightest.value(), tightest.file().toString()));
        }
    }

    private static @Nullable String value(Path group, List<String> files) {
        StringBuilder value = new StringBuilder();
        for (String file : files) {
            try {
                value.append(value.isEmpty() ? "" : " ")
                        .append(Files.readString(group.resolve(file)).strip());
            } catch (IOException e) {
                return null;
            }
        }
        String text = value.toString();
        return text.matches("(?:max|-?\\d{1,20})(?: \\d{1,20})?") ? text : null;
    }

    /** Returns {@code QUOTA PERIOD} as a number of CPUs. */
    private static double cpus(String value) {
        String[] parts = value.split(" ");
        if (parts.length != 2 || parts[0].equals("max") || parts[0].startsWith("-")) {
            return Double.MAX_VALUE;
        }
        return Double.parseDouble(parts[0]) / Math.max(1, Double.parseDouble(parts[1]));
    }

    private static double amount(String value) {
        if (value.equals("max")) {
            return Double.MAX_VALUE;
        }
        double number = Double.parseDouble(value);
        return number >= NO_LIMIT_V1 || number < 0 ? Double.MAX_VALUE : number;
    }
}
