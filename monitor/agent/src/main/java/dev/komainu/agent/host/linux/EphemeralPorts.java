package dev.komainu.agent.host.linux;

/**
 * The ports the kernel chooses from for outgoing connections.
 *
 * @param first lowest port of {@code ip_local_port_range}
 * @param last its highest
 * @param count how many of them it may take: without {@code ip_local_reserved_ports}
 */
public record EphemeralPorts(int first, int last, int count) {

    /** @param reserved {@code 8080,9148-9150}: ports and ranges */
    static EphemeralPorts of(int first, int last, String reserved) {
        boolean[] taken = new boolean[last - first + 1];
        for (String part : reserved.strip().split(",")) {
            String[] ends = part.split("-", 2);
            Long from = DecimalCounters.of(ends[0].strip());
            Long to = ends.length == 2 ? DecimalCounters.of(ends[1].strip()) : from;
            if (from != null && to != null) {
                for (long port = Math.max(first, from); port <= Math.min(last, to); port++) {
                    taken[(int) port - first] = true;
                }
            }
        }
        int count = 0;
        for (boolean isTaken : taken) {
            count += isTaken ? 0 : 1;
        }
        return new EphemeralPorts(first, last, count);
    }
}
