package dev.komainu.agent.host.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Both ways of reading, with real listening sockets. */
class ListenerTableTest {

    @Test
    void read_realListener_returnsQueueAndLimitByNetlink() throws Exception {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 7);
            try (var first = connect(socket);
                    var second = connect(socket);
                    ListenerTable table = new ListenerTable(ProcFiles.ofThisHost(), true)) {
                assertThat(first.isConnected() && second.isConnected()).isTrue();
                ListeningSocket listener = find(table.read(), socket.getLocalPort());
                assertThat(listener.queued()).isEqualTo(2);
                assertThat(listener.limit()).isEqualTo(7);
            }
        }
    }

    @Test
    void read_byFile_agreesWithNetlink() throws Exception {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 7);
            try (var client = connect(socket);
                    ListenerTable kernel = new ListenerTable(ProcFiles.ofThisHost(), true);
                    ListenerTable files = new ListenerTable(ProcFiles.ofThisHost(), false)) {
                assertThat(client.isConnected()).isTrue();
                ListeningSocket byKernel = find(kernel.read(), socket.getLocalPort());
                ListeningSocket byFile = find(files.read(), socket.getLocalPort());
                assertThat(byFile.inode()).isEqualTo(byKernel.inode());
                assertThat(byFile.local()).isEqualTo(byKernel.local());
                assertThat(byFile.queued()).isEqualTo(1).isEqualTo(byKernel.queued());
                assertThat(byFile.limit()).isNull();
            }
        }
    }

    @Test
    void parse_errorResponse_isRefused() {
        ByteBuffer response = ByteBuffer.allocate(36).order(ByteOrder.nativeOrder());
        response.putInt(0, 36).putShort(4, (short) 2).putInt(8, 1).putInt(16, -2);
        assertThatThrownBy(() -> NetlinkSocket.parse(response, 1, (type, data, at, end) -> {}))
                .isInstanceOf(NetlinkSocket.RefusedException.class)
                .hasMessageContaining("-2");
    }

    @Test
    void parse_invalidLengths_endTheResponse() throws Exception {
        ByteBuffer response = ByteBuffer.allocate(64).order(ByteOrder.nativeOrder());
        response.putInt(0, 7);
        assertThat(NetlinkSocket.parse(response, 1, (type, data, at, end) -> {}))
                .isFalse();
        response.putInt(0, 4000);
        assertThat(NetlinkSocket.parse(response, 1, (type, data, at, end) -> {}))
                .isFalse();
    }

    private static java.net.Socket connect(ServerSocket socket) throws Exception {
        return new java.net.Socket(socket.getInetAddress(), socket.getLocalPort());
    }

    private static ListeningSocket find(List<ListeningSocket> rows, int port) {
        return rows.stream()
                .filter(row -> row.local().port() == port)
                .findFirst()
                .orElseThrow();
    }
}
