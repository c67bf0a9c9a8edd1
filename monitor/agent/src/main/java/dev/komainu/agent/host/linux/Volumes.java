package dev.komainu.agent.host.linux;

import dev.komainu.telemetry.record.HostParts.Volume;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The mounted file systems of this host, from {@code /proc/self/mountinfo}. A file system that is
 * mounted several times is listed once, at its shortest path. Those of other hosts are left out:
 * reading their space blocks for as long as the other host does not respond.
 */
public final class Volumes {

    private static final int MOST = 64;

    /** Smaller ones are places that hold no files of programs. */
    private static final long LEAST_BYTES = 1 << 20;

    /** File systems without a device that hold files of programs. */
    private static final Set<String> WITHOUT_DEVICE = Set.of("tmpfs", "overlay", "zfs", "btrfs");

    // Fields of a line before the separator: id, parent, major:minor, root, mount point, options.
    private static final int DEVICE_NUMBER = 2;
    private static final int MOUNT_POINT = 4;
    private static final int MOUNT_OPTIONS = 5;
    // After it: type, source, options of the file system.
    private static final int SUPER_OPTIONS = 3;

    /**
     * Options of a file system that takes no data. Since Linux 6.12 an error of ext4 no longer sets
     * ro; newer kernels tell emergency_ro instead. XFS and ext4 tell a forced shutdown.
     */
    private static final List<String> STOPPED = List.of("ro", "emergency_ro", "shutdown");

    private final ProcFiles proc;
    private final Path sys;
    private final Function<String, @Nullable FileSpace> space;

    /** Those that took data since the start of this process. */
    private final Set<String> writable = new HashSet<>();

    public Volumes(ProcFiles proc, Path sys, Function<String, @Nullable FileSpace> space) {
        this.proc = proc;
        this.sys = sys;
        this.space = space;
    }

    /**
     * One line of mountinfo.
     *
     * @param stopped whether the kernel stopped writing after an error: the options of the mount
     *     stay as they were
     */
    private record Mount(
            String deviceNumber,
            String point,
            String kind,
            String device,
            boolean readOnly,
            boolean stopped) {

        String key() {
            return deviceNumber + " " + point;
        }
    }

    /** Reads the file systems, in the order of their paths; at most 64. */
    public List<Volume> read() {
        Set<String> onDevices = kindsOnDevices();
        // A later mount hides an earlier one at the same path.
        Map<String, Mount> byPoint = new HashMap<>();
        for (String line : proc.text("self/mountinfo").split("\n")) {
            Mount mount = parse(line);
            if (mount != null
                    && (onDevices.contains(mount.kind())
                            || WITHOUT_DEVICE.contains(mount.kind()))) {
                byPoint.put(mount.point(), mount);
            }
        }
        Map<String, Mount> byDevice = new HashMap<>();
        for (Mount mount : byPoint.values()) {
            byDevice.merge(
                    mount.deviceNumber(),
                    mount,
                    (a, b) -> a.point().length() <= b.point().length() ? a : b);
        }
        List<Volume> volumes = new ArrayList<>();
        writable.retainAll(byDevice.values().stream().map(Mount::key).toList());
        byDevice.values().stream()
                .sorted((a, b) -> a.point().compareTo(b.point()))
                .limit(MOST)
                .forEach(mount -> {
                    FileSpace space = this.space.apply(mount.point());
                    if (space != null && space.bytes() >= LEAST_BYTES) {
                        volumes.add(volume(mount, space));
                    }
                });
        return volumes;
    }

    private Volume volume(Mount mount, FileSpace space) {
        if (!mount.readOnly()) {
            writable.add(mount.key());
        }
        boolean turned = mount.readOnly() && (mount.stopped() || writable.contains(mount.key()));
        String name = mount.device().substring(mount.device().lastIndexOf('/') + 1);
        return new Volume(
                mount.point(),
                mount.device(),
                mount.kind(),
                space.bytes(),
                space.availableBytes(),
                space.files(),
                space.filesFree(),
                turned ? 1 : 0,
                SysFiles.number(sys.resolve("fs/ext4").resolve(name).resolve("errors_count")),
                mount.readOnly() ? 1 : 0);
    }

    private Set<String> kindsOnDevices() {
        Set<String> kinds = new HashSet<>();
        for (String line : proc.text("filesystems").split("\n")) {
            if (!line.startsWith("nodev") && !line.isBlank()) {
                kinds.add(line.strip());
            }
        }
        return kinds;
    }

    private static @Nullable Mount parse(String line) {
        int separator = line.indexOf(" - ");
        if (separator < 0) {
            return null;
        }
        String[] before = line.substring(0, separator).split(" ");
        String[] after = line.substring(separator + 1).split(" ");
        if (before.length <= MOUNT_OPTIONS || after.length <= SUPER_OPTIONS) {
            return null;
        }
        boolean mountedForWriting = isSet(before[MOUNT_OPTIONS], "rw");
        boolean takesNoData = STOPPED.stream().anyMatch(word -> isSet(after[SUPER_OPTIONS], word));
        return new Mount(
                before[DEVICE_NUMBER],
                unescaped(before[MOUNT_POINT]),
                after[1],
                unescaped(after[2]),
                !mountedForWriting || takesNoData,
                mountedForWriting && takesNoData);
    }

    private static boolean isSet(String options, String option) {
        return List.of(options.split(",")).contains(option);
    }

    /** Replaces the kernel's octal escapes of blanks and backslashes, such as {@code \040}. */
    private static String unescaped(String text) {
        if (text.indexOf('\\') < 0) {
            return text;
        }
        byte[] from = text.getBytes(StandardCharsets.UTF_8);
        byte[] to = new byte[from.length];
        int length = 0;
        for (int i = 0; i < from.length; i++) {
            if (from[i] == '\\' && i + 3 < from.length) {
                to[length++] = (byte)
                        ((from[i + 1] - '0') * 64 + (from[i + 2] - '0') * 8 + from[i + 3] - '0');
                i += 3;
            } else {
                to[length++] = from[i];
            }
        }
        return new String(to, 0, length, StandardCharsets.UTF_8);
    }
}
