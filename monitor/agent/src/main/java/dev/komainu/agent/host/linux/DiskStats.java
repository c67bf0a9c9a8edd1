package dev.komainu.agent.host.linux;

import java.util.ArrayList;
import java.util.List;

/**
 * One row of {@code /proc/diskstats}.
 *
 * @param name without {@code /dev/}
 * @param readBytes since boot
 * @param writtenBytes since boot
 * @param busyMillis time with at least one request under way
 */
public record DiskStats(String name, long readBytes, long writtenBytes, long busyMillis) {

    /** The kernel counts sectors of 512 bytes whatever the disk's own. */
    private static final int SECTOR = 512;

    public static List<DiskStats> parse(String text) {
        List<DiskStats> rows = new ArrayList<>();
        for (String line : text.split("\n")) {
            String[] f = line.strip().split("\\s+");
            if (f.length >= 13 && Digits.of(f[5]) != null && Digits.of(f[0]) != null) {
                rows.add(new DiskStats(
                        f[2], Digits.at(f, 5, 0) * SECTOR, Digits.at(f, 9, 0) * SECTOR, Digits.at(f, 12, 0)));
            }
        }
        return rows;
    }
}
