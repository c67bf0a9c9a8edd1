package dev.komainu.agent.host.linux;

/**
 * The kernel's port range for outgoing connections.
 *
 * @param first lowest port of {@code ip_local_port_range}
 * @param last highest port of {@code ip_local_port_range}
 * @param count number of usable ports: those not in {@code ip_local_reserved_ports}
 */
public record EphemeralPorts(int first, int last, int count) {

    /**
     * Creates a range.
     *
     * @param reserved {@code 8080,9148-9150}: ports and ranges
     */
    static EphemeralPorts of(int first, int last, String reserved) {
        boolean[] reservedPorts = new boolean[last - first + 1];
        for (String part : reserved.strip().split(",")) {
            String[] ends = part.split("-", 2);
            Long from = DecimalCounters.of(ends[0].strip());
            Long to = ends.length == 2 ? DecimalCounters.of(ends[1].strip()) : from;
            if (from != null && to != null) {
                for (long port = Math.max(first, from); port <= Math.min(last, to); port++) {
                    reservedPorts[(int) port - first] = true;
                }
            }
        }
        int count = 0;
        for (boolean isReserved : reservedPorts) {
            count += isReserved ? 0 : 1;
        }
        return new EphemeralPorts(first, last, count);
    }
}
