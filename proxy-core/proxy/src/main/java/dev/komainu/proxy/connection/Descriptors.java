package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.CloseReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * File descriptors of this process against its limit (RLIMIT_NOFILE).
 *
 * <p>Since Linux 6.2 the size of {@code /proc/self/fd} is their number, found without a walk. An
 * older kernel says 0: then they are counted once in a while, which takes a walk over all of them,
 * and in between the proxy's own connections tell how many came or went since.
 */
public final class Descriptors implements LimitedResource {

    /** Reads from one count, and look at the limit, to the next. */
    private static final int READS_A_COUNT = 100;

    private final Path directory;
    private final Path limits;
    private final LongSupplier ownConnections;
    private long limit;
    private long others;
    private int reads;

    /** @param ownConnections the proxy's connections now */
    public Descriptors(LongSupplier ownConnections) {
        this(Path.of("/proc/self/fd"), Path.of("/proc/self/limits"), ownConnections);
    }

    Descriptors(Path directory, Path limits, LongSupplier ownConnections) {
        this.directory = directory;
        this.limits = limits;
        this.ownConnections = ownConnections;
    }

    @Override
    public CloseReason ending() {
        return CloseReason.DESCRIPTORS;
    }

    @Override
    public boolean countsConnections() {
        return true;
    }

    @Override
    public ResourceUse read() {
        try {
            boolean isDue = reads++ % READS_A_COUNT == 0;
            if (isDue) {
                limit = limit();
            }
            long told = Files.size(directory);
            if (told > 0) {
                return new ResourceUse(told, limit);
            }
            if (isDue) {
                others = counted() - ownConnections.getAsLong();
            }
            return new ResourceUse(others + ownConnections.getAsLong(), limit);
        } catch (IOException | NumberFormatException absent) {
            return ResourceUse.UNKNOWN;
        }
    }

    private long counted() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.count();
        }
    }

    /** @return 0 when there is none */
    private long limit() throws IOException {
        for (String line : Files.readAllLines(limits)) {
            if (line.startsWith("Max open files")) {
                String soft = line.substring("Max open files".length()).strip().split("\\s+")[0];
                return soft.equals("unlimited") ? 0 : Long.parseLong(soft);
            }
        }
        return 0;
    }
}
