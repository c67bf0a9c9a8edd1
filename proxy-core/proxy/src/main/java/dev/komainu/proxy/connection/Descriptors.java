package dev.komainu.proxy.connection;

import dev.komainu.intermediary.connection.CloseReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The use of file descriptors of this process against its limit (RLIMIT_NOFILE).
 *
 * <p>Since Linux 6.2 the size of {@code /proc/self/fd} is their number, without a walk. An older
 * kernel reports 0: then they are counted from time to time by a walk over all of them, and in
 * between the number of the proxy's own connections corrects the count.
 */
public final class Descriptors implements LimitedResource {

    /** The number of reads between two counts, and between two reads of the limit. */
    private static final int READS_PER_COUNT = 100;

    private final Path directory;
    private final Path limits;
    private final LongSupplier ownConnections;
    private long limit;
    private long others;
    private int reads;

    /**
     * Creates the resource.
     *
     * @param ownConnections supplies the number of the proxy's open connections
     */
    public Descriptors(LongSupplier ownConnections) {
        this(Path.of("/proc/self/fd"), Path.of("/proc/self/limits"), ownConnections);
    }

    Descriptors(Path directory, Path limits, LongSupplier ownConnections) {
        this.directory = directory;
        this.limits = limits;
        this.ownConnections = ownConnections;
    }

    @Override
    public CloseReason reason() {
        return CloseReason.DESCRIPTORS;
    }

    @Override
    public boolean countsConnections() {
        return true;
    }

    @Override
    public ResourceUse read() {
        try {
            boolean isDue = reads++ % READS_PER_COUNT == 0;
            if (isDue) {
                limit = limit();
            }
            long reported = Files.size(directory);
            if (reported > 0) {
                return new ResourceUse(reported, limit);
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

    /** Returns the limit; 0 when there is none. */
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
