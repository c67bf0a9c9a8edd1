package dev.komainu.organizer.line.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ConnectTimeoutException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import org.junit.jupiter.api.Test;

/** What people are told of what Netty tells. */
class SocketFaultTest {

    @Test
    void fault_knownOrNot_isToldInWords() {
        assertThat(
                        SocketFault.inWords(
                                new ConnectException(
                                        "finishConnect(..) failed with error(-111): Connection refused: /10.0.0.1:1")))
                .isEqualTo("nobody listens there (connection refused)");
        assertThat(SocketFault.inWords(
                        new ConnectTimeoutException("connection timed out after 3000 ms")))
                .isEqualTo("nobody answers (timed out)");
        assertThat(SocketFault.inWords(
                        new NoRouteToHostException("finishConnect(..) failed with error(-113)")))
                .isEqualTo("no way there (no route to host)");
        assertThat(SocketFault.inWords(new IOException(
                        "recvAddress(..) failed with error(-104): Connection reset by peer")))
                .isEqualTo("the connection was broken (reset)");
        assertThat(SocketFault.inWords(new ConnectException("Connection timed out")))
                .isEqualTo("nobody answers (timed out)");
        assertThat(SocketFault.inWords(new IOException("of another kind")))
                .isEqualTo("of another kind");
    }

    @Test
    void fault_inAnotherLanguage_isTheSame() {
        assertThat(SocketFault.inWords(new ConnectException(
                        "finishConnect(..) failed with error(-111): Bağlantı reddedildi")))
                .isEqualTo("nobody listens there (connection refused)");
        assertThat(SocketFault.inWords(new ConnectException("Bağlantı reddedildi")))
                .isEqualTo("nobody listens there (connection refused)");
        assertThat(SocketFault.inWords(new IOException(
                        "recvAddress(..) failed with error(-104): Bağlantı karşı tarafça kesildi")))
                .isEqualTo("the connection was broken (reset)");
    }
}
