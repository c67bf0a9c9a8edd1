package dev.komainu.telemetry.kit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/**
 * A mounted directory in which each file operation is recorded in its order, and in this order the
 * messages of {@link #acknowledge}. A FUSE file system written in C serves it; without a C
 * compiler, FUSE or the right to mount the test is skipped.
 */
public final class RecordedDisk implements AutoCloseable {

    private static final String SOURCE = "recorded-disk.c";
    private static final long WAIT_SECONDS = 60;

    private final Path root;
    private final Path log;
    private final Process server;
    private final OutputStream messages;
    private boolean mounted = true;

    private RecordedDisk(Path root, Path log, Process server) throws IOException {
        this.root = root;
        this.log = log;
        this.server = server;
        this.messages =
                Files.newOutputStream(root.resolve(".acknowledged"), StandardOpenOption.WRITE);
    }

    /**
     * Mounts an empty directory.
     *
     * @param work an empty directory for the program, its log and the files
     */
    public static RecordedDisk mount(Path work) throws IOException, InterruptedException {
        Path compiler = Program.need("cc");
        Path unmount = Program.need("fusermount3");
        Assumptions.assumeTrue(
                Files.exists(Path.of("/usr/include/fuse3/fuse.h")),
                "fuse3/fuse.h: not found (expected: apt-get install libfuse3-dev)");
        Assumptions.assumeTrue(
                Files.isReadable(Path.of("/dev/fuse")) && Files.isWritable(Path.of("/dev/fuse")),
                "/dev/fuse: not accessible (expected: a kernel with FUSE, and a container that may use it)");
        Path program = work.resolve("recorded-disk");
        Path source = work.resolve(SOURCE);
        try (InputStream in = RecordedDisk.class.getResourceAsStream(SOURCE)) {
            Files.copy(Objects.requireNonNull(in, SOURCE), source);
        }
        run(compiler.toString(), "-O2", "-o", program.toString(), source.toString(), "-lfuse3");
        Path root = Files.createDirectory(work.resolve("disk"));
        Path backing = Files.createDirectory(work.resolve("backing"));
        Path log = work.resolve("log");
        Path output = work.resolve("output");
        Object before = Files.getAttribute(root, "unix:dev");
        Process server = new ProcessBuilder(
                        program.toString(), backing.toString(), log.toString(), root.toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
        while (before.equals(Files.getAttribute(root, "unix:dev"))) {
            if (!server.isAlive()) {
                Assumptions.abort("FUSE: " + Files.readString(output).strip() + " (" + unmount
                        + "; expected: the right to mount)");
            }
            if (System.nanoTime() - end > 0) {
                server.destroyForcibly();
                throw new IOException(root + ": not mounted after " + WAIT_SECONDS + " s");
            }
            server.waitFor(5, TimeUnit.MILLISECONDS);
        }
        return new RecordedDisk(root, log, server);
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

    /**
     * Records that the store under test has acknowledged something. Any thread; a message is in the
     * record when this returns.
     */
    public synchronized void acknowledge(String message) {
        try {
            messages.write(message.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Unmounts the directory, and returns what was recorded. All files must be closed. */
    public DiskHistory history() throws IOException, InterruptedException {
        unmount();
        return DiskHistory.read(log);
    }

    private void unmount() throws IOException, InterruptedException {
        if (!mounted) {
            return;
        }
        mounted = false;
        messages.close();
        run("fusermount3", "-u", root.toString());
        if (!server.waitFor(WAIT_SECONDS, TimeUnit.SECONDS) || server.exitValue() != 0) {
            server.destroyForcibly();
            throw new IOException(root + ": the file system did not end in order");
        }
    }

    /** Unmounts the directory, also while files in it are open after a failed test. */
    @Override
    public void close() throws IOException, InterruptedException {
        if (mounted) {
            mounted = false;
            run("fusermount3", "-u", "-z", root.toString());
            if (!server.waitFor(1, TimeUnit.SECONDS)) {
                server.destroyForcibly();
            }
        }
    }
}
