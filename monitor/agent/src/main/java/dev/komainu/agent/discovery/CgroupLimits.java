package dev.komainu.agent.discovery;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a server's control group lets it have (cgroups(7)). A group is bound by its parents too: of all on the way to the
 * top the tightest is told, with the file it stands in. Values in version 2's words; version 1's are put into them:
 *
 * <pre>
 *  told as              version 2     version 1
 *  cgroup:cpu.max       cpu.max       cpu.cfs_quota_us and cpu.cfs_period_us    "50000 100000" is half a CPU
 *  cgroup:memory.max    memory.max    memory.limit_in_bytes                     bytes
 *  cgroup:memory.high   memory.high
 *  cgroup:pids.max      pids.max      pids.max                                  processes and threads
 * </pre>
 *
 * {@code max} means that no group sets a limit. One thread at a time.
 */
final class CgroupLimits {

    /** Version 1 writes its highest page-aligned number for no limit. */
    private static final double NO_LIMIT_V1 = 1L << 62;

    private static final int MAX_DEPTH = 64;

    private final ProcFiles proc;
    private final List<Mount> mounts;

    /** A place where groups are seen. */
    private record Mount(Path point, String root, boolean unified, List<String> controllers) {}

    private record Found(String value, double weight, Path file) {}

    CgroupLimits(ProcFiles proc) {
        this.proc = proc;
        this.mounts = mounts(proc.text("self/mountinfo"));
    }

    List<Setting> of(long processId) {
        List<Setting> settings = new ArrayList<>();
        for (String line : proc.text(processId + "/cgroup").split("\n")) {
            String[] parts = line.split(":", 3);
            if (parts.length != 3 || parts[2].contains("..")) {
                continue;
            }
            List<String> controllers = Arrays.asList(parts[1].split(","));
            boolean unified = parts[0].equals("0") && parts[1].isEmpty();
            for (Mount mount : mounts) {
                if (unified && mount.unified()) {
                    add(settings, mount, parts[2], "cpu.max", List.of("cpu.max"));
                    add(settings, mount, parts[2], "memory.max", List.of("memory.max"));
                    add(settings, mount, parts[2], "memory.high", List.of("memory.high"));
                    add(settings, mount, parts[2], "pids.max", List.of("pids.max"));
                } else if (!unified && mount.controllers().stream().anyMatch(controllers::contains)) {
                    if (controllers.contains("cpu")) {
                        add(settings, mount, parts[2], "cpu.max", List.of("cpu.cfs_quota_us", "cpu.cfs_period_us"));
                    }
                    if (controllers.contains("memory")) {
                        add(settings, mount, parts[2], "memory.max", List.of("memory.limit_in_bytes"));
                    }
                    if (controllers.contains("pids")) {
                        add(settings, mount, parts[2], "pids.max", List.of("pids.max"));
                    }
                }
            }
        }
        return settings;
    }

    private static void add(List<Setting> settings, Mount mount, String group, String name, List<String> files) {
        ToDoubleFunction<String> weight = name.equals("cpu.max") ? CgroupLimits::cpus : CgroupLimits::amount;
        Found tightest = null;
        String path = mount.root().equals("/") || !group.startsWith(mount.root())
                ? group
                : group.substring(mount.root().length());
        try {
            Path top = mount.point();
            Path at = top.resolve(path.replaceFirst("^/+", "")).normalize();
            for (int depth = 0; depth < MAX_DEPTH && at != null && at.startsWith(top); depth++) {
                String value = value(at, files);
                if (value != null) {
                    double amount = weight.applyAsDouble(value);
                    String shown = amount == Double.MAX_VALUE ? "max" : value;
                    if (tightest == null || amount < tightest.weight()) {
                        tightest = new Found(shown, amount, at.resolve(files.getFirst()));
                    }
                }
                at = at.getParent();
            }
        } catch (InvalidPathException e) {
            return;
        }
        if (tightest != null && settings.stream().noneMatch(s -> s.name().equals("cgroup:" + name))) {
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

    /** {@code QUOTA PERIOD} in CPUs. */
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

    /** {@code 31 23 0:28 /ROOT /POINT rw,… - TYPE NAME OPTIONS} (proc(5)). */
    private static List<Mount> mounts(String text) {
        List<Mount> mounts = new ArrayList<>();
        for (String line : text.split("\n")) {
            String[] halves = line.split(" - ", 2);
            String[] left = halves[0].split(" ");
            String[] right = halves.length == 2 ? halves[1].split(" ") : new String[0];
            if (left.length < 5 || right.length < 3 || !right[0].startsWith("cgroup")) {
                continue;
            }
            boolean unified = right[0].equals("cgroup2");
            mounts.add(new Mount(
                    Path.of(left[4].replace("\\040", " ")), left[3], unified, Arrays.asList(right[2].split(","))));
        }
        return mounts;
    }
}
