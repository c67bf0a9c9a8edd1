package dev.komainu.telemetry.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Losses of power at random instants of a {@link DiskHistory}: for each, a disk is written and
 * given to a check of the store. Half of the instants are those just after an acknowledgement.
 *
 * <p>{@code -Dcuts} sets the number for each store (12, in the nightly run 200),
 * {@code -Dcuts.seed} repeats the disks of an earlier run on the same record; each failure tells
 * the seed.
 */
public final class PowerCuts {

    private static final Path MEMORY = Path.of("/dev/shm");
    private static final int FEW = 12;
    private static final int MANY = 200;
    private static final int LONGEST_FAULT = 400;

    /** The check of one disk; anything thrown is a fault of the store. */
    @FunctionalInterface
    public interface Check {
        /**
         * Opens the store and compares.
         *
         * @param directory content of the disk
         * @param acknowledged messages before the loss
         */
        void check(Path directory, List<String> acknowledged) throws Exception;
    }

    private final DiskHistory history;
    private final Path work;

    /**
     * Creates the cuts of a record.
     *
     * @param work directory for one disk at a time, where there is no memory for it
     */
    public PowerCuts(DiskHistory history, Path work) {
        this.history = history;
        this.work = work;
    }

    /**
     * Checks disks that force what they are told to force.
     *
     * @throws AssertionError with each fault, its cut and the seed
     */
    public void check(Check check) throws IOException {
        int count = Integer.getInteger("cuts", Nightly.isOn() ? MANY : FEW);
        List<String> faults = faults(check, count, true);
        System.out.println("Loss of power: " + count + " cuts of " + history.size()
                + " operations, " + faults.size() + " faults");
        if (!faults.isEmpty()) {
            throw new AssertionError(faults.size() + " of " + count + " cuts (-Dcuts=" + count
                    + " -Dcuts.seed=" + seed() + "):\n" + String.join("\n", faults));
        }
    }

    /**
     * Checks disks that force nothing, until one is faulty.
     *
     * @throws AssertionError when all are in order: the check would then prove nothing
     */
    public void checkFindsForgetfulDisk(Check check) throws IOException {
        for (int tries = 0; tries < 20; tries++) {
            if (!faults(check, FEW, false).isEmpty()) {
                return;
            }
        }
        throw new AssertionError("disks that force nothing were all in order");
    }

    private static long seed() {
        return Long.getLong("cuts.seed", SEED);
    }

    private static final long SEED = System.nanoTime();

    private List<String> faults(Check check, int count, boolean forces) throws IOException {
        Random chance = new Random(seed());
        List<Integer> worst = history.afterMessages();
        if (worst.isEmpty()) {
            throw new AssertionError("nothing was acknowledged");
        }
        List<String> faults = new ArrayList<>();
        Path disk = place().resolve("after-loss");
        for (int i = 0; i < count; i++) {
            int cut = chance.nextBoolean()
                    ? worst.get(chance.nextInt(worst.size()))
                    : chance.nextInt(history.size() + 1);
            delete(disk);
            Files.createDirectory(
                    disk,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
            history.writeAfterLoss(cut, new Random(chance.nextLong()), forces, disk);
            String fault = fault(check, disk, history.acknowledged(cut));
            if (fault != null) {
                faults.add("cut " + i + " after " + cut + " operations: " + fault);
                if (!forces) {
                    break;
                }
            }
        }
        delete(disk.getParent());
        return faults;
    }

    /** Returns a new directory, in memory where there is one: stores force much when they open. */
    private Path place() throws IOException {
        return Files.isWritable(MEMORY)
                ? Files.createTempDirectory(MEMORY, "power-cuts-")
                : Files.createDirectories(work.resolve("power-cuts"));
    }

    // Each kind of failure to open a store is a fault, errors among them.
    private static @Nullable String fault(Check check, Path disk, List<String> acknowledged) {
        try {
            check.check(disk, acknowledged);
            return null;
        } catch (Exception | AssertionError e) {
            String text = e.toString().replaceAll("\\s+", " ");
            return text.substring(0, Math.min(text.length(), LONGEST_FAULT));
        }
    }

    private static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
