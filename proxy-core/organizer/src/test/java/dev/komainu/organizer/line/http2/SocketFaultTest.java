package dev.komainu.organizer.line.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import org.junit.jupiter.api.Test;

/** Readable causes for failures of Netty's sockets. */
class SocketFaultTest {

    @Test
    void fault_isReportedInWords() {
        assertThat(
                        SocketFault.inWords(
                                new ConnectException(
                                        "finishConnect(..) failed with error(-111): Connection refused: /10.0.0.1:1")))
                .isEqualTo("no process listens on the port (connection refused)");
        assertThat(SocketFault.inWords(
                        new ConnectTimeoutException("connection timed out after 3000 ms")))
                .isEqualTo("the peer does not respond (timed out)");
        assertThat(SocketFault.inWords(
                        new NoRouteToHostException("finishConnect(..) failed with error(-113)")))
                .isEqualTo("the peer is unreachable (no route to host)");
        assertThat(SocketFault.inWords(new IOException(
                        "recvAddress(..) failed with error(-104): Connection reset by peer")))
                .isEqualTo("the peer closed the connection (reset)");
        assertThat(SocketFault.inWords(new ConnectException("Connection timed out")))
                .isEqualTo("the peer does not respond (timed out)");
        assertThat(SocketFault.inWords(new IOException("of another kind")))
                .isEqualTo("of another kind");
    }

    @Test
    void fault_inAnotherLanguage_isTheSame() {
        assertThat(SocketFault.inWords(new ConnectException(
                        "finishConnect(..) failed with error(-111): Bağlantı reddedildi")))
                .isEqualTo("no process listens on the port (connection refused)");
        assertThat(SocketFault.inWords(new ConnectException("Bağlantı reddedildi")))
                .isEqualTo("no process listens on the port (connection refused)");
        assertThat(SocketFault.inWords(new IOException(
                        "recvAddress(..) failed with error(-104): Bağlantı karşı tarafça kesildi")))
                .isEqualTo("the peer closed the connection (reset)");
    }
}
