package dev.komainu.agent.host.linux;

import java.util.ArrayList;
import java.util.List;

/**
 * One row of {@code /proc/diskstats} (kernel: Documentation/admin-guide/iostats.rst).
 *
 * @param name without {@code /dev/}
 * @param readBytes since boot
 * @param writtenBytes since boot
 * @param busyMillis time with at least one request in progress
 * @param reads requests finished
 * @param writes requests finished
 * @param requestMillis time of all requests together, including waiting
 * @param queuedMillis time multiplied by the requests in progress
 */
public record DiskStats(
        String name,
        long readBytes,
        long writtenBytes,
        long busyMillis,
        long reads,
        long writes,
        long requestMillis,
        long queuedMillis) {

    /** The kernel counts sectors of 512 bytes for every disk. */
    private static final int SECTOR = 512;

    /**
     * Parses the file.
     *
     * @param names names of earlier readings, reused so that a row creates no string
     */
    public static List<DiskStats> parse(KernelFileText text, DeviceNameCache names) {
        List<DiskStats> rows = new ArrayList<>();
        text.rewind();
        if (!text.isEmpty()) {
            do {
                long major = text.number(-1);
                text.skipWord();
                text.skipBlanks();
                int from = text.position();
                text.skipWord();
                int to = text.position();
                long reads = text.number(-1);
                text.skipWord();
                long readSectors = text.number(-1);
                long readMillis = text.number(0);
                long writes = text.number(0);
                text.skipWord();
                long writtenSectors = text.number(0);
                long writeMillis = text.number(0);
                text.skipWord();
                if (major >= 0 && reads != -1 && readSectors != -1 && !text.atLineEnd()) {
                    long busy = text.number(0);
                    long queued = text.number(0);
                    rows.add(new DiskStats(
                            names.of(text, from, to),
                            readSectors * SECTOR,
                            writtenSectors * SECTOR,
                            busy,
                            reads,
                            writes,
                            readMillis + writeMillis,
                            queued));
                }
            } while (text.nextLine());
        }
        return rows;
    }
}
