package dev.komainu.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class OpenLoadTest {

    @Test
    void ask_severalObjectsOnOneConnection_readsEachToItsEnd() throws Exception {
        try (var origin = new RunningOrigin(true)) {
            var stay = new Stay(origin.address(), 5_000, 0);

            var answers =
                    stay.ask(null, List.of("/object/1/0/keep", "/object/2/30000/fresh", "/elsewhere"), List.of(0, 1));

            assertThat(answers)
                    .containsExactly(
                            new Stay.Answer(200, 0, false),
                            new Stay.Answer(200, 30_000, false),
                            new Stay.Answer(404, 0, false));
        }
    }

    @Test
    void ask_serverThatClosesEachConnection_takesWhatItGot() throws Exception {
        try (var origin = new RunningOrigin(false)) {
            var answers = new Stay(origin.address(), 5_000, 0)
                    .ask(InetAddress.getLoopbackAddress(), List.of("/object/1/9/keep", "/object/2/9/keep"), List.of(0));

            assertThat(answers).containsExactly(new Stay.Answer(200, 9, true));
        }
    }

    @Test
    void ask_connectionClosedBeforeAnyByte_failsWithTheReason() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread closing = Thread.startVirtualThread(() -> {
                try (var client = silent.accept()) {
                    client.getInputStream().read(new byte[1_000]);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
            var stay = new Stay((InetSocketAddress) silent.getLocalSocketAddress(), 5_000, 0);

            assertThatThrownBy(() -> stay.ask(null, List.of("/"), List.of()))
                    .hasMessage("connection closed before a status line");
            closing.join();
        }
    }

    @Test
    void call_secondOfLoad_endsWhenTheLastVisitorLeft() throws Exception {
        try (var origin = new RunningOrigin(false)) {
            int code = new CommandLine(new OpenLoad())
                    .execute("--target", "127.0.0.1:" + origin.address().getPort(), "--phases", "50x1", "--even");

            assertThat(code).isZero();
        }
    }

    @Test
    void call_publicTarget_isNeverVisited() {
        assertThat(new CommandLine(new OpenLoad()).execute("--target", "198.51.100.7:80", "--phases", "1x1"))
                .isEqualTo(2);
    }
}
