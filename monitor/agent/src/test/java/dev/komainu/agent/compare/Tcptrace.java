package dev.komainu.agent.compare;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A capture as tcptrace sums it up (Ethernet or raw only). */
final class Tcptrace {

    /** @param zeroWindows times it advertised a closed window */
    record Side(long packets, long uniqueBytes, long payload, long zeroWindows) {}

    /** Sides in the order tcptrace gives them: who was seen first is a. */
    record Connection(int portA, int portB, Side a, Side b) {

        /**
         * The any device does capture a SYN/ACK before its SYN now and then: tcptrace's a then is
         * the server.
         */
        Connection clientFirst(Set<Integer> serverPorts) {
            return serverPorts.contains(portA) ? new Connection(portB, portA, b, a) : this;
        }
    }

    private Tcptrace() {}

    static List<Connection> read(Path capture) throws IOException, InterruptedException {
        List<Connection> connections = new ArrayList<>();
        Map<String, Integer> columns = new HashMap<>();
        for (String line :
                Tool.lines(List.of("tcptrace", "-l", "-n", "-r", "--csv", capture.toString()))) {
            String[] cells = line.split(",");
            if (line.startsWith("conn_#")) {
                for (int i = 0; i < cells.length; i++) {
                    columns.put(cells[i].strip(), i);
                }
            } else if (!columns.isEmpty() && cells.length > 10 && !line.startsWith("#")) {
                connections.add(new Connection(
                        (int) number(cells, columns, "port_a"),
                        (int) number(cells, columns, "port_b"),
                        side(cells, columns, "a2b"),
                        side(cells, columns, "b2a")));
            }
        }
        return connections;
    }

    private static Side side(String[] cells, Map<String, Integer> columns, String way) {
        return new Side(
                number(cells, columns, "total_packets_" + way),
                number(cells, columns, "unique_bytes_sent_" + way),
                number(cells, columns, "actual_data_bytes_" + way),
                number(cells, columns, "zero_win_adv_" + way));
    }

    private static long number(String[] cells, Map<String, Integer> columns, String name) {
        return Long.parseLong(cells[columns.get(name)].strip());
    }
}
