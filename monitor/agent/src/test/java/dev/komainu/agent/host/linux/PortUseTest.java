package dev.komainu.agent.host.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.Endpoint;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PortUseTest {

    private static final Endpoint ORIGIN = Endpoint.parse("10.0.0.9:8080");

    /**
     * 30 connections in TIME_WAIT (06), one established, one listener and one outside the range.
     */
    @Test
    void rowsOfNetTcp_areCountedByDestination_includingTimeWait() {
        StringBuilder text =
                new StringBuilder("  sl  local_address rem_address   st tx_queue rx_queue\n");
        for (int port = 40_000; port < 40_030; port++) {
            text.append(row("0100000A", port, "0900000A:1F90", "06"));
        }
        text.append(row("0100000A", 40_100, "0900000A:1F90", "01"));
        text.append(row("0100000A", 40_101, "0900000A:1F91", "01"));
        text.append(row("0100000A", 80, "0900000A:1F90", "01"));
        text.append(row("00000000", 40_200, "00000000:0000", "0A"));
        text.append(row("0200000A", 40_300, "0900000A:1F90", "06"));
        PortUse use = new PortUse(32_768, 60_999);
        use.add(text.toString());
        use.add("garbage\n 1: zz:1 0:0 06 x\n");
        assertThat(use.busiest(List.of(ORIGIN))).isEqualTo(new PortUse.Busiest(ORIGIN, 31));
        assertThat(use.busiest(List.of(Endpoint.parse("10.0.0.9:8081"))))
                .isEqualTo(new PortUse.Busiest(Endpoint.parse("10.0.0.9:8081"), 1));
        assertThat(use.busiest(List.of(Endpoint.parse("10.0.0.7:1")))).isNull();
        assertThat(use.busiest(remote -> remote.port() != 8_080))
                .isEqualTo(new PortUse.Busiest(Endpoint.parse("10.0.0.9:8081"), 1));
    }

    @Test
    void mappedAddresses_areTheirFourBytes() {
        PortUse use = new PortUse(1, 65_535);
        use.add(
                "   1: 0000000000000000FFFF00000100000A:9C40 0000000000000000FFFF00000900000A:1F90 01 0\n");
        assertThat(use.busiest(List.of(ORIGIN))).isEqualTo(new PortUse.Busiest(ORIGIN, 1));
    }

    @Test
    void realConnections_byNetlink_equalThoseOfTheFile() throws Exception {
        try (ServerSocket server = new ServerSocket();
                ListenerTable kernel = new ListenerTable(ProcFiles.ofThisHost(), true);
                ListenerTable files = new ListenerTable(ProcFiles.ofThisHost(), false)) {
            server.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 50);
            Endpoint remote = Endpoint.of(new byte[] {127, 0, 0, 1}, server.getLocalPort());
            List<Socket> clients = new ArrayList<>();
            for (int i = 0; i < 9; i++) {
                clients.add(new Socket(server.getInetAddress(), server.getLocalPort()));
            }
            var ignored = kernel.read();
            PortUse byNetlink = new PortUse(1, 65_535);
            kernel.connections(byNetlink);
            PortUse byFile = new PortUse(1, 65_535);
            files.connections(byFile);
            assertThat(Objects.requireNonNull(byNetlink.busiest(List.of(remote)))
                            .sockets())
                    .isEqualTo(9);
            assertThat(byFile.busiest(List.of(remote)))
                    .isEqualTo(byNetlink.busiest(List.of(remote)));
            for (Socket client : clients) {
                client.close();
            }
        }
    }

    @Test
    void reservedPorts_areLeftOut() {
        assertThat(EphemeralPorts.of(100, 199, "\n").count()).isEqualTo(100);
        assertThat(EphemeralPorts.of(100, 199, "50,110,120-129,190-300\n").count())
                .isEqualTo(79);
        assertThat(EphemeralPorts.of(100, 199, "x,130-,-,9-8\n").count()).isEqualTo(100);
    }

    private static String row(String address, int port, String remote, String state) {
        return String.format(
                Locale.ROOT,
                "   0: %s:%04X %s %s 00000000:00000000 00:00000000 00000000 0 0 1\n",
                address,
                port,
                remote,
                state);
    }
}
