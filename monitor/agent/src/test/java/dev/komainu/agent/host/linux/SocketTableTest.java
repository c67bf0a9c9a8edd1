package dev.komainu.agent.host.linux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.Endpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SocketTableTest {

    private static final String HEAD =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
    private static final String LISTENER =
            "   0: 00000000:0050 00000000:0000 0A 00000000:00000007 00:00000000 00000000     0        0 555 1\n";

    /** Rows as the kernel writes them: local port, remote port, state, queue, timer, repeats. */
    private static String row(
            int local, int remote, int state, int queue, int timer, int repeats, int inode) {
        return "   1: 0100007F:%04X 0100007F:%04X %02X %08X:00000000 %02X:00000014 %08X  0  0 %d 1\n"
                .formatted(local, remote, state, queue, timer, repeats, inode);
    }

    @Test
    void clients_areAcceptedConnections_andBlockedWhereDataIsNotTaken(@TempDir Path proc)
            throws IOException {
        SocketTable table = new SocketTable();
        String idle = row(80, 40_001, 1, 0, 0, 0, 1);
        String probing = row(80, 40_002, 1, 90_000, 4, 3, 2);
        String full = row(80, 40_003, 1, 90_000, 1, 0, 3);
        String notAccepted = row(80, 40_004, 1, 0, 0, 0, 0);
        read(table, proc, idle + probing + full + notAccepted);
        assertThat(table.clients(80)).isEqualTo(new SocketTable.Clients(3, 1));

        read(table, proc, idle + full);
        assertThat(table.clients(80))
                .as("a queue that is as full as before")
                .isEqualTo(new SocketTable.Clients(2, 1));
    }

    @Test
    void backends_areOpenedConnections_byStateAndRepeats(@TempDir Path proc) throws IOException {
        SocketTable table = new SocketTable();
        read(
                table,
                proc,
                row(50_001, 9_000, 1, 0, 0, 0, 1)
                        + row(50_002, 9_000, 1, 400, 1, 2, 2)
                        + row(50_003, 9_000, 2, 1, 1, 1, 3)
                        + row(50_004, 9_001, 1, 0, 0, 0, 4)
                        + row(80, 9_000, 1, 0, 0, 0, 5));
        assertThat(table.backends(Set.of(Endpoint.parse("127.0.0.1:9000"))))
                .isEqualTo(new SocketTable.Backends(2, 1, 1));
    }

    @Property
    void anyText_isReadWithoutFailure(@ForAll String text) {
        assertThat(SocketTable.parse(HEAD + text)).isNotNull();
    }

    private static void read(SocketTable table, Path proc, String rows) throws IOException {
        Files.createDirectories(proc.resolve("net"));
        Files.writeString(proc.resolve("net/tcp"), HEAD + LISTENER + rows);
        try (ListenerTable listeners = new ListenerTable(new ProcFiles(proc), false)) {
            List<ListeningSocket> listening = listeners.read();
            table.read(listeners, listening);
        }
    }
}
