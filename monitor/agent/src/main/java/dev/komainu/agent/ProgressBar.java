package dev.komainu.agent;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Progress of reading a file, on the last line of a terminal. Shows nothing for files that are read
 * within a second, and nothing when the output is not a terminal. Draws on a thread of its own.
 */
final class ProgressBar implements AutoCloseable {

    private static final int WIDTH = 30;
    private static final long FIRST_MILLIS = 1_000;
    private static final long EVERY_MILLIS = 250;

    private final PrintStream terminal;
    private final LongSupplier done;
    private final long size;
    private final long begunNanos = System.nanoTime();
    private final ScheduledExecutorService clock;
    private boolean drawn;

    /**
     * Creates a bar and begins to draw it after a second.
     *
     * @param done returns the bytes read so far; called from another thread
     */
    // A failure ends the progress bar only.
    @SuppressWarnings("FutureReturnValueIgnored")
    ProgressBar(PrintStream terminal, LongSupplier done, long size) {
        this.terminal = terminal;
        this.done = done;
        this.size = size;
        this.clock = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("komainu-progress").factory());
        clock.scheduleAtFixedRate(this::draw, FIRST_MILLIS, EVERY_MILLIS, TimeUnit.MILLISECONDS);
    }

    /**
     * Reports whether a descriptor of this process (1: output, 2: errors) is a terminal, as far as
     * Linux reports it.
     */
    static boolean isTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor))
                    .toString();
            return target.startsWith("/dev/pts/")
                    || target.startsWith("/dev/tty")
                    || target.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    private synchronized void draw() {
        if (!clock.isShutdown()) {
            drawn = true;
            terminal.print("\r" + text(done.getAsLong(), size, System.nanoTime() - begunNanos));
            terminal.flush();
        }
    }

    /** Formats {@code [### ] 33 % 0.9 of 2.7 GB 6 s left}, always in the same length. */
    static String text(long done, long size, long nanos) {
        double part = size == 0 ? 1 : Math.clamp((double) done / size, 0.0, 1.0);
        int bars = (int) (part * WIDTH);
        double left = part == 0 ? 0 : Math.min(99_999, nanos / 1e9 * (1 - part) / part);
        return String.format(
                Locale.ROOT,
                "[%s%s] %3d %%  %5.1f of %.1f GB  %5.0f s left",
                "#".repeat(bars),
                " ".repeat(WIDTH - bars),
                (int) (part * 100),
                done / 1e9,
                size / 1e9,
                left);
    }

    /** Clears the line. */
    @Override
    public synchronized void close() {
        clock.shutdownNow();
        if (drawn) {
            terminal.print("\r" + " ".repeat(text(0, size, 0).length()) + "\r");
            terminal.flush();
        }
    }
}
