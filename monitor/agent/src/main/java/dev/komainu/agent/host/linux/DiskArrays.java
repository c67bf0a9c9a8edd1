package dev.komainu.agent.host.linux;

import dev.komainu.telemetry.record.HostParts.Array;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The disk arrays of the kernel, from {@code /sys/block/md*} (kernel:
 * Documentation/admin-guide/md.rst). Arrays without spare data, such as raid0, have no count of
 * missing disks and are left out.
 */
public final class DiskArrays {

    private static final int MOST = 64;

    private DiskArrays() {}

    /** Reads the arrays, at most 64. */
    public static List<Array> read(Path sys) {
        List<Array> arrays = new ArrayList<>();
        for (Path disk : SysFiles.entries(sys.resolve("block"))) {
            Path md = disk.resolve("md");
            Long missing = SysFiles.number(md.resolve("degraded"));
            Long members = SysFiles.number(md.resolve("raid_disks"));
            String level = SysFiles.text(md.resolve("level"));
            if (missing != null && members != null && level != null && arrays.size() < MOST) {
                arrays.add(new Array(
                        disk.getFileName().toString(),
                        level,
                        Math.clamp(members, 0, Integer.MAX_VALUE),
                        Math.clamp(missing, 0, Integer.MAX_VALUE)));
            }
        }
        return arrays;
    }
}
