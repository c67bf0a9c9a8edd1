package dev.komainu.telemetry.kit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A mounted file system of a given size in memory, which a test fills up and empties. Without the
 * right to mount the test is skipped. One thread.
 */
public final class SmallDisk implements AutoCloseable {

    /** Blocks of the file that fills the disk. */
    private static final int BLOCK = 4 << 10;

    private final Path root;

    private SmallDisk(Path root) {
        this.root = root;
    }

    /**
     * Mounts it.
     *
     * @param root a directory, created when it is not there
     */
    public static SmallDisk mount(Path root, long megabytes)
            throws IOException, InterruptedException {
        Path mount = Program.need("mount");
        Capability.need("mounts", Capability.SYS_ADMIN);
        Files.createDirectories(root);
        run(
                mount.toString(),
                "-t",
                "tmpfs",
                "-o",
                "size=" + megabytes + "m,mode=755",
                "small",
                root.toString());
        return new SmallDisk(root);
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
    }

    /** Returns the mounted directory. */
    public Path root() {
        return root;
    }

    /** Returns the bytes that are free. */
    public long free() throws IOException {
        return Files.getFileStore(root).getUsableSpace();
    }

    /** Fills the disk up to its last block, as another program would; again, if some is free. */
    public void fill() throws IOException {
        fill(0);
    }

    /** Fills the disk until no more than some bytes are free. */
    public void fill(long left) throws IOException {
        try (FileChannel filler = FileChannel.open(
                filler(),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND,
                StandardOpenOption.WRITE)) {
            while (free() > left) {
                int size = (int) Math.clamp(free() - left, BLOCK, 1 << 20);
                filler.write(ByteBuffer.allocate(size));
            }
        } catch (IOException e) {
            if (free() >= BLOCK) {
                throw e;
            }
        }
    }

    /** Deletes what {@link #fill} wrote. */
    public void empty() throws IOException {
        Files.deleteIfExists(filler());
    }

    private Path filler() {
        return root.resolve("filler");
    }

    /** Unmounts it, also while files in it are open. */
    @Override
    public void close() throws IOException, InterruptedException {
        run("umount", "-l", root.toString());
    }
}
