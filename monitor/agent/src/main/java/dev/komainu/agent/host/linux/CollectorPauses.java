package dev.komainu.agent.host.linux;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The pauses of one Java virtual machine's collectors, from its {@link PerformanceData} file. The
 * file is searched once, in the machine's own file system and under its own process id there. One
 * thread at a time.
 */
final class CollectorPauses {

    private static final int MOST_USERS = 64;

    private final KernelReader reader;
    private final Path process;
    private @Nullable String file;
    private int searches;

    /**
     * Creates the reader of a process.
     *
     * @param process its directory under {@code /proc}
     */
    CollectorPauses(KernelReader reader, Path process) {
        this.reader = reader;
        this.process = process;
    }

    /** Returns the time of all pauses since the start in nanoseconds; -1 when unknown. */
    long nanos() {
        String known = file;
        // A machine that is starting writes the file after its first moments.
        if (known == null && searches < 4) {
            searches++;
            known = search();
            file = known;
        }
        PerformanceData data = known == null
                ? null
                : PerformanceData.parse(reader.bytes(known, PerformanceData.MOST_BYTES));
        return data == null ? -1 : data.pauseNanos();
    }

    private @Nullable String search() {
        String id = idInside();
        Path temporary = process.resolve("root/tmp");
        int users = 0;
        try (DirectoryStream<Path> found = Files.newDirectoryStream(temporary, "hsperfdata_*")) {
            for (Path user : found) {
                Path candidate = user.resolve(id);
                if (Files.isDirectory(user, LinkOption.NOFOLLOW_LINKS)
                        && Files.isRegularFile(candidate, LinkOption.NOFOLLOW_LINKS)) {
                    return candidate.toString();
                }
                if (++users >= MOST_USERS) {
                    break;
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // Forbidden, or a machine that publishes nothing.
        }
        return null;
    }

    /** Returns the process id in the innermost namespace: the name of the file. */
    private String idInside() {
        Path name = process.getFileName();
        String outside = name == null ? "" : name.toString();
        try {
            for (String line : Files.readAllLines(process.resolve("status"))) {
                if (line.startsWith("NSpid:")) {
                    String[] ids = line.strip().split("\\s+");
                    return ids.length > 1 && DecimalCounters.of(ids[ids.length - 1]) != null
                            ? ids[ids.length - 1]
                            : outside;
                }
            }
        } catch (IOException e) {
            // The process is gone.
        }
        return outside;
    }
}
