package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.intermediary.kit.FrameClient;
import dev.komainu.proxy.tally.LoopTally;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * CONNECT over HTTP/2 that ends before both sides have sent their end: both sides get a reset, and
 * the cause is counted.
 */
class Http2TunnelTest {

    private static final int CANCEL = 8;
    private static final int CONNECT_ERROR = 10;

    private ServerSocket target;
    private ProxyFixture proxy;
    private FrameClient client;
    private Socket served;
    private int stream;

    @BeforeEach
    void connect() throws Exception {
        target = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        String port = Integer.toString(target.getLocalPort());
        proxy = new ProxyFixture(
                "forward.enabled",
                "true",
                "forward.allow",
                "127.0.0.0/8",
                "forward.dial-allow",
                "127.0.0.1",
                "forward.connect-ports",
                port);
        client = new FrameClient(proxy.proxy.address());
        stream = client.head(
                0, FrameClient.block(":method", "CONNECT", ":authority", "127.0.0.1:" + port));
        client.until(FrameClient.HEADERS);
        served = target.accept();
        served.setSoTimeout(60_000);
    }

    @AfterEach
    void tearDown() throws Exception {
        served.close();
        client.close();
        proxy.close();
        target.close();
    }

    private void untilCounted(long reset, long left) {
        Awaitility.await().untilAsserted(() -> {
            LoopTally counted = proxy.proxy.figures().counters();
            assertThat(counted.tunnels).isEqualTo(1);
            assertThat(counted.tunnelsReset).isEqualTo(reset);
            assertThat(counted.tunnelsLeft).isEqualTo(left);
            assertThat(counted.tunnelsFailed).isZero();
            assertThat(counted.inFlight).isZero();
        });
    }

    /** Its own half had ended, so that only a write can show that it is gone. */
    @Test
    void write_thatFails_resetsTheStream() throws Exception {
        served.shutdownOutput();
        assertThat(client.answer(stream).reset()).isEqualTo(-1);
        served.setSoLinger(true, 0);
        served.close();
        client.data(stream, "too late", false);
        FrameClient.Frame reset = client.until(FrameClient.RST_STREAM);
        assertThat(reset.stream()).isEqualTo(stream);
        assertThat(reset.code()).isEqualTo(CONNECT_ERROR);
        untilCounted(1, 0);
    }

    @Test
    void stream_resetByItsClient_resetsTheTarget() throws Exception {
        client.data(stream, "half", false);
        assertThat(served.getInputStream().readNBytes(4)).hasSize(4);
        client.frame(FrameClient.RST_STREAM, 0, stream, FrameClient.number(CANCEL));
        assertThatThrownBy(() -> served.getInputStream().read())
                .isInstanceOf(SocketException.class);
        untilCounted(0, 1);
    }

    @Test
    void connection_closedByItsClient_resetsTheTarget() throws IOException {
        client.close();
        assertThatThrownBy(() -> served.getInputStream().read())
                .isInstanceOf(SocketException.class);
        untilCounted(0, 1);
    }
}
