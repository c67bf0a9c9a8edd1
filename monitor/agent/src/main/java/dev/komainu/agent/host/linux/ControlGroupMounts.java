package dev.komainu.agent.host.linux;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The mount points of this system's control groups, of both versions (cgroups(7)). Any thread. */
public final class ControlGroupMounts {

    private static final int MAX_DEPTH = 64;

    private final List<Mount> mounts;

    private record Mount(Path point, String root, boolean unified, List<String> controllers) {}

    /**
     * A process's place in one hierarchy.
     *
     * @param unified whether it belongs to version 2, where one hierarchy has every controller
     * @param controllers the controllers of a version 1 hierarchy
     * @param levels its group's directory, then each parent up to the root
     */
    public record Place(boolean unified, List<String> controllers, List<Path> levels) {

        /** Reports whether this hierarchy may contain the controller's files. */
        public boolean has(String controller) {
            return unified || controllers.contains(controller);
        }
    }

    private ControlGroupMounts(List<Mount> mounts) {
        this.mounts = mounts;
    }

    /** Parses {@code 31 23 0:28 /ROOT /POINT rw,… - TYPE NAME OPTIONS} (proc(5)). */
    public static ControlGroupMounts of(ProcFiles proc) {
        List<Mount> mounts = new ArrayList<>();
        for (String line : proc.text("self/mountinfo").split("\n")) {
            String[] halves = line.split(" - ", 2);
            String[] mountFields = halves[0].split(" ");
            String[] fileSystemFields = halves.length == 2 ? halves[1].split(" ") : new String[0];
            if (mountFields.length < 5
                    || fileSystemFields.length < 3
                    || !fileSystemFields[0].startsWith("cgroup")) {
                continue;
            }
            try {
                mounts.add(new Mount(
                        Path.of(mountFields[4].replace("\\040", " ")),
                        mountFields[3],
                        fileSystemFields[0].equals("cgroup2"),
                        Arrays.asList(fileSystemFields[2].split(","))));
            } catch (InvalidPathException e) {
                // A path that cannot be opened is left out.
            }
        }
        return new ControlGroupMounts(List.copyOf(mounts));
    }

    /**
     * Returns a process's places in all hierarchies.
     *
     * @param text {@code /proc/PID/cgroup}: {@code NUMBER:CONTROLLERS:PATH} per line
     */
    public List<Place> places(String text) {
        List<Place> places = new ArrayList<>();
        for (String line : text.split("\n")) {
            String[] parts = line.split(":", 3);
            if (parts.length != 3 || parts[2].contains("..")) {
                continue;
            }
            List<String> controllers = Arrays.asList(parts[1].split(","));
            boolean unified = parts[0].equals("0") && parts[1].isEmpty();
            for (Mount mount : mounts) {
                boolean matches = unified
                        ? mount.unified()
                        : !mount.unified()
                                && mount.controllers().stream().anyMatch(controllers::contains);
                if (matches) {
                    places.add(new Place(unified, controllers, levels(mount, parts[2])));
                }
            }
        }
        return places;
    }

    private static List<Path> levels(Mount mount, String group) {
        String path = mount.root().equals("/") || !group.startsWith(mount.root())
                ? group
                : group.substring(mount.root().length());
        List<Path> levels = new ArrayList<>();
        try {
            Path top = mount.point();
            Path level = top.resolve(path.replaceFirst("^/+", "")).normalize();
            while (levels.size() < MAX_DEPTH && level != null && level.startsWith(top)) {
                levels.add(level);
                level = level.getParent();
            }
        } catch (InvalidPathException e) {
            // No path can have this name, so no group is found.
        }
        return levels;
    }
}
