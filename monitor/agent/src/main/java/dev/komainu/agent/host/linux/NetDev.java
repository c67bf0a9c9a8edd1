package dev.komainu.agent.host.linux;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One row of {@code /proc/net/dev}: the traffic of an interface since it came up.
 *
 * @param drops packets dropped in both directions
 * @param errors damaged packets in both directions
 */
public record NetDev(
        String name,
        long receivedBytes,
        long sentBytes,
        long receivedPackets,
        long sentPackets,
        long drops,
        long errors) {

    /**
     * Parses the file.
     *
     * @param names names of earlier readings, reused so that a row creates no string
     */
    public static List<NetDev> parse(KernelFileText text, DeviceNameCache names) {
        List<NetDev> rows = new ArrayList<>();
        text.rewind();
        if (!text.isEmpty()) {
            do {
                text.skipBlanks();
                int from = text.position();
                // Old kernels write "eth0:123" without a space when the number is long. The
                // headings have no colon.
                if (text.skipPast(':')) {
                    int to = text.position() - 1;
                    NetDev row = row(text, names, from, to);
                    if (row != null) {
                        rows.add(row);
                    }
                }
            } while (text.nextLine());
        }
        return rows;
    }

    private static @Nullable NetDev row(
            KernelFileText text, DeviceNameCache names, int from, int to) {
        long receivedBytes = text.number(-1);
        long receivedPackets = text.number(0);
        long errors = text.number(0);
        long drops = text.number(0);
        text.skipWords(4);
        if (receivedBytes == -1 || text.atLineEnd()) {
            return null;
        }
        long sentBytes = text.number(0);
        long sentPackets = text.number(0);
        errors += text.number(0);
        drops += text.number(0);
        return new NetDev(
                names.of(text, from, to),
                receivedBytes,
                sentBytes,
                receivedPackets,
                sentPackets,
                drops,
                errors);
    }
}
