package dev.komainu.telemetry.kit;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The file operations of a {@link RecordedDisk} in their order, and the disks that a loss of power
 * may leave behind.
 *
 * <p>The model (decision 0121): names and lengths set by {@code truncate} are changed in order, and
 * a loss of power undoes the newest of these changes, at most to the last one that was forced.
 * {@code fsync} of a file forces its bytes, its length, and every change of a name up to the newest
 * one of this file; {@code fsync} of a directory forces them up to the newest one in this
 * directory. Each page of 4 KB that was written and not forced has, independent of the others, the
 * bytes of any instant since it was forced; a torn page has sectors of 512 bytes of two instants. A
 * length that was not forced is that of any instant, and bytes within it that did not reach the
 * disk are zero.
 */
public final class DiskHistory {

    private static final int SECTOR = 512;
    private static final int SECTORS_OF_PAGE = 8;
    private static final int PAGE = SECTOR * SECTORS_OF_PAGE;

    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final FileAttribute<?> OWNER_ONLY_DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /**
     * One operation, or one message.
     *
     * @param kind the letter in the log of {@code recorded-disk.c}
     * @param file the file it concerns; absent for directories, removals and messages
     * @param bytes written bytes, or the message
     */
    private record Step(
            char kind, @Nullable File file, long at, byte[] bytes, String path, String to) {}

    /** A file of the record, whatever its names. Its steps, oldest first. */
    private static final class File {
        private final List<Integer> writes = new ArrayList<>();
    }

    private final List<Step> steps = new ArrayList<>();
    private final Map<Long, File> files = new HashMap<>();

    private DiskHistory() {}

    static DiskHistory read(Path log) throws IOException {
        DiskHistory history = new DiskHistory();
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(Files.newInputStream(log)))) {
            for (int kind = in.read(); kind >= 0; kind = in.read()) {
                long file = in.readLong();
                long at = in.readLong();
                int a = in.readInt();
                int b = in.readInt();
                byte[] first = in.readNBytes(a);
                byte[] second = in.readNBytes(b);
                if (first.length < a || second.length < b) {
                    throw new EOFException(log + ": cut");
                }
                history.add((char) kind, file, at, first, second);
            }
        }
        return history;
    }

    /** Adds a step. The first of a file is its creation. */
    void add(char kind, long number, long at, byte[] a, byte[] b) {
        File file = null;
        if (kind == 'C') {
            file = new File();
            files.put(number, file);
        } else if ("WTSRL".indexOf(kind) >= 0) {
            file = files.get(number);
        }
        if (file != null && (kind == 'W' || kind == 'T')) {
            file.writes.add(steps.size());
        }
        boolean named = "CRLUMDY".indexOf(kind) >= 0;
        steps.add(new Step(
                kind,
                file,
                at,
                named ? new byte[0] : a,
                named ? new String(a, StandardCharsets.UTF_8) : "",
                new String(b, StandardCharsets.UTF_8)));
    }

    /** Returns the number of steps. A cut at n comes after n of them. */
    public int size() {
        return steps.size();
    }

    /** Returns the messages before a cut, oldest first. */
    public List<String> acknowledged(int cut) {
        List<String> messages = new ArrayList<>();
        for (Step step : steps.subList(0, cut)) {
            if (step.kind == 'A') {
                messages.add(new String(step.bytes, StandardCharsets.UTF_8));
            }
        }
        return messages;
    }

    /**
     * Returns the cuts at which something has just been acknowledged: the worst instants for what
     * was not forced.
     */
    List<Integer> afterMessages() {
        List<Integer> cuts = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            if (steps.get(i).kind == 'A') {
                cuts.add(i + 1);
            }
        }
        return cuts;
    }

    /**
     * Writes a disk after a loss of power into an empty directory.
     *
     * @param cut number of steps before the loss
     * @param chance choice among the possible disks
     * @param forces whether the disk forces what it is told to force; a disk that does not shows
     *     that a test can fail
     */
    void writeAfterLoss(int cut, Random chance, boolean forces, Path directory) throws IOException {
        Forced forced = new Forced(cut, forces);
        int names = anyOf(chance, forced.names, cut);
        Map<String, File> found = new TreeMap<>();
        for (int i = 0; i < names; i++) {
            Step step = steps.get(i);
            switch (step.kind) {
                case 'M' ->
                    Files.createDirectory(resolve(directory, step.path), OWNER_ONLY_DIRECTORY);
                case 'D' -> Files.delete(resolve(directory, step.path));
                case 'U' -> found.remove(step.path);
                case 'C' -> put(found, step.path, step.file);
                case 'L' -> put(found, step.to, step.file);
                case 'R' -> rename(directory, found, step);
                default -> {}
            }
        }
        Map<File, Path> written = new HashMap<>();
        for (Map.Entry<String, File> each : found.entrySet()) {
            File file = each.getValue();
            Path path = resolve(directory, each.getKey());
            Path other = written.putIfAbsent(file, path);
            if (other != null) {
                Files.createLink(path, other);
                continue;
            }
            Files.createFile(path, OWNER_ONLY);
            Files.write(
                    path, content(file, forced.bytes.getOrDefault(file, 0), cut, names, chance));
        }
    }

    private static void put(Map<String, File> found, String path, @Nullable File file) {
        if (file != null) {
            found.put(path, file);
        }
    }

    private static void rename(Path directory, Map<String, File> found, Step step)
            throws IOException {
        File moved = found.remove(step.path);
        if (moved != null) {
            found.put(step.to, moved);
            return;
        }
        // A directory: the files in it follow when they are written.
        Files.move(resolve(directory, step.path), resolve(directory, step.to));
        for (String path : List.copyOf(found.keySet())) {
            if (path.startsWith(step.path + "/")) {
                put(found, step.to + path.substring(step.path.length()), found.remove(path));
            }
        }
    }

    private static Path resolve(Path directory, String path) {
        return directory.resolve(path.substring(1));
    }

    /** Names and bytes that were forced to the disk before a cut. */
    private final class Forced {
        /** Number of steps whose names were forced. */
        int names;
        /** Number of steps before the last fsync of each file. */
        final Map<File, Integer> bytes = new HashMap<>();

        Forced(int cut, boolean forces) {
            Map<File, Integer> named = new HashMap<>();
            Map<File, Long> lengths = new HashMap<>();
            Map<String, Integer> inDirectory = new HashMap<>();
            for (int i = 0; i < cut && forces; i++) {
                Step step = steps.get(i);
                File file = step.file;
                int after = i + 1;
                switch (step.kind) {
                    case 'C', 'R', 'L', 'U', 'M', 'D' -> {
                        inDirectory.put(parent(step.path), after);
                        if (!step.to.isEmpty()) {
                            inDirectory.put(parent(step.to), after);
                        }
                        put(named, file, after);
                    }
                    case 'T' -> {
                        put(named, file, after);
                        put(lengths, file, step.at);
                    }
                    case 'W' -> {
                        // A longer file needs a change of its inode, in order with all others.
                        long end = step.at + step.bytes.length;
                        if (file != null && end > lengths.getOrDefault(file, 0L)) {
                            put(named, file, after);
                            put(lengths, file, end);
                        }
                    }
                    case 'S' -> {
                        put(bytes, file, after);
                        names = Math.max(names, file == null ? 0 : named.getOrDefault(file, 0));
                    }
                    case 'Y' ->
                        names = Math.max(names, inDirectory.getOrDefault(normal(step.path), 0));
                    default -> {}
                }
            }
        }

        private static <V> void put(Map<File, V> to, @Nullable File file, V value) {
            if (file != null) {
                to.put(file, value);
            }
        }

        private static String normal(String path) {
            return path.equals("/") ? "" : path;
        }

        private static String parent(String path) {
            return path.substring(0, path.lastIndexOf('/'));
        }
    }

    /** Returns the first, the last, or any number of a range: a third each. */
    private static int anyOf(Random chance, int from, int to) {
        return switch (chance.nextInt(3)) {
            case 0 -> from;
            case 1 -> to;
            default -> from + chance.nextInt(to - from + 1);
        };
    }

    /**
     * Returns the bytes of a file.
     *
     * @param forced number of steps that are on the disk for certain
     * @param names number of steps whose names are on the disk
     */
    private byte[] content(File file, int forced, int cut, int names, Random chance) {
        int length = 0;
        int longest = 0;
        int lengthAt = anyOf(chance, forced, cut);
        for (int i : file.writes) {
            if (i >= cut) {
                break;
            }
            Step step = steps.get(i);
            int end = (int) step.at + step.bytes.length;
            if (step.kind == 'T') {
                length = i < names ? end : length;
            } else if (i < lengthAt) {
                length = Math.max(length, end);
            }
            longest = Math.max(longest, Math.max(end, length));
        }
        byte[] content = new byte[longest];
        Map<Integer, int[]> pages = new HashMap<>();
        for (int i : file.writes) {
            if (i >= cut) {
                break;
            }
            Step step = steps.get(i);
            if (step.kind == 'T') {
                if (i < names) {
                    Arrays.fill(content, (int) step.at, longest, (byte) 0);
                }
                continue;
            }
            int at = (int) step.at;
            int end = at + step.bytes.length;
            if (i < forced) {
                System.arraycopy(step.bytes, 0, content, at, end - at);
                continue;
            }
            while (at < end) {
                int[] reached =
                        pages.computeIfAbsent(at / PAGE, page -> sectors(chance, forced, cut));
                int next = Math.min(end, (at / SECTOR + 1) * SECTOR);
                if (i < reached[at % PAGE / SECTOR]) {
                    System.arraycopy(step.bytes, at - (int) step.at, content, at, next - at);
                }
                at = next;
            }
        }
        return Arrays.copyOf(content, length);
    }

    /** Returns for each sector of a page the number of steps that have reached the disk. */
    private static int[] sectors(Random chance, int forced, int cut) {
        int[] reached = new int[SECTORS_OF_PAGE];
        int one = anyOf(chance, forced, cut);
        Arrays.fill(reached, one);
        if (chance.nextInt(4) == 0) {
            int other = anyOf(chance, forced, cut);
            for (int i = 0; i < SECTORS_OF_PAGE; i++) {
                reached[i] = chance.nextBoolean() ? one : other;
            }
        }
        return reached;
    }
}
