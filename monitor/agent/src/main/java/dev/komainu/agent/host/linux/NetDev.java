package dev.komainu.agent.host.linux;

import java.util.ArrayList;
import java.util.List;

/** One row of {@code /proc/net/dev}: bytes through an interface since it came up. */
public record NetDev(String name, long receivedBytes, long sentBytes) {

    public static List<NetDev> parse(String text) {
        List<NetDev> rows = new ArrayList<>();
        for (String line : text.split("\n")) {
            int colon = line.indexOf(':');
            if (colon < 0) {
                continue;
            }
            // "eth0:123" without a space is written by old kernels when the number is long.
            String[] f = line.substring(colon + 1).strip().split("\\s+");
            Long received = Digits.of(f[0]);
            if (received != null && f.length > 8) {
                rows.add(new NetDev(line.substring(0, colon).strip(), received, Digits.at(f, 8, 0)));
            }
        }
        return rows;
    }
}
