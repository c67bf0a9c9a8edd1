package dev.komainu.agent.discovery;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A service unit of systemd, from the control group of its process and from its files
 * (systemd.unit(5)). The last assignment of Restart= counts; drop-ins come after the unit's file.
 *
 * @param name such as {@code nginx.service}
 * @param restart value of Restart=, {@code no} by default
 * @param root the root of the files
 */
record SystemdUnit(String name, String restart, Path root) {

    private static final List<String> PLACES = List.of(
            "etc/systemd/system",
            "run/systemd/system",
            "usr/lib/systemd/system",
            "lib/systemd/system");
    private static final long MOST_BYTES = 64 << 10;
    private static final String SUFFIX = ".service";

    /**
     * Finds the unit of a process.
     *
     * @param controlGroups text of {@code /proc/PID/cgroup}
     * @return null when the process belongs to no service unit
     */
    static @Nullable SystemdUnit of(String controlGroups, Path root) {
        for (String line : controlGroups.split("\n")) {
            String[] parts = line.split(":", 3);
            if (parts.length == 3 && (parts[1].isEmpty() || parts[1].equals("name=systemd"))) {
                String[] names = parts[2].split("/");
                for (int i = names.length - 1; i >= 0; i--) {
                    if (names[i].endsWith(SUFFIX)) {
                        return new SystemdUnit(names[i], restart(names[i], root), root);
                    }
                }
            }
        }
        return null;
    }

    private static String restart(String name, Path root) {
        int at = name.indexOf('@');
        String template = at < 0 ? name : name.substring(0, at + 1) + SUFFIX;
        String value = "no";
        for (String place : PLACES) {
            Path file = root.resolve(place).resolve(name);
            Path general = root.resolve(place).resolve(template);
            Path found = Files.isRegularFile(file) ? file : general;
            if (Files.isRegularFile(found)) {
                value = assigned(found, value);
                break;
            }
        }
        for (String place : PLACES) {
            for (Path dropIn : dropIns(root.resolve(place).resolve(name + ".d"))) {
                value = assigned(dropIn, value);
            }
        }
        return value;
    }

    private static List<Path> dropIns(Path directory) {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "*.conf")) {
            found.forEach(files::add);
        } catch (IOException | DirectoryIteratorException e) {
            // There are none.
        }
        files.sort(null);
        return files;
    }

    private static String assigned(Path file, String before) {
        String value = before;
        try {
            if (!Files.isRegularFile(file) || Files.size(file) > MOST_BYTES) {
                return before;
            }
            for (String line :
                    Files.readString(file, StandardCharsets.ISO_8859_1).split("\n")) {
                String plain = line.strip();
                if (plain.startsWith("Restart=")) {
                    value = plain.substring("Restart=".length()).strip();
                }
            }
        } catch (IOException e) {
            // What cannot be read is not set.
        }
        return value.isEmpty() ? "no" : value;
    }

    boolean restarts() {
        return !restart.equals("no");
    }

    /** Returns the unit, whether it restarts, and whether it has processes now. */
    String describe() {
        Path group = root.resolve("sys/fs/cgroup/system.slice").resolve(name);
        return name + " (Restart=" + restart + ", "
                + (isPopulated(group) ? "active" : "no processes") + ")";
    }

    private static boolean isPopulated(Path group) {
        try {
            return Files.readString(group.resolve("cgroup.events")).contains("populated 1");
        } catch (IOException e) {
            return false;
        }
    }
}
