package dev.komainu.organizer.line.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.intermediary.kit.Certified;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.kit.Ends;
import dev.komainu.organizer.line.kit.Tuned;
import dev.komainu.organizer.line.kit.TunnelDoor;
import io.netty.channel.EventLoop;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A line over TLS with certificates of both sides; strangers are refused. */
class SecureLineTest extends LineContract {

    /** Short timeouts, for requests that can never succeed. */
    private static final LineSettings HASTY = Tuned.withTimes(
            Ends.QUICK,
            Duration.ofMillis(50),
            Duration.ofSeconds(60),
            Duration.ofMillis(10),
            Duration.ofMillis(500));

    @TempDir
    static Path directory;

    static LineTls peer;
    static LineTls asker;
    private static LineTls stranger;

    @BeforeAll
    static void createCertificates() throws Exception {
        String[] names = {"peer", "asker", "stranger"};
        StringBuilder members = new StringBuilder();
        for (String name : names) {
            Certified.make(directory, "EC", "-1d", name + ".test").write(directory, name);
            if (!name.equals("stranger")) {
                members.append(Files.readString(directory.resolve(name + ".crt")));
            }
        }
        Path authority = Files.writeString(directory.resolve("members.crt"), members);
        peer = tls("peer", authority);
        asker = tls("asker", authority);
        stranger = tls("stranger", authority);
    }

    private static LineTls tls(String name, Path authority) throws Exception {
        return new LineTls(
                directory.resolve(name + ".crt"), directory.resolve(name + ".key"), authority);
    }

    @Override
    LineTls server() {
        return peer;
    }

    @Override
    LineTls client() {
        return asker;
    }

    @Test
    void peer_isKnownByItsCertificate() throws Exception {
        LineServer server = ends.server(Ends.QUICK, peer);
        Line line = ends.line(server.address(), Ends.QUICK, asker);
        assertThat(Ends.ask(line, Ends.get("/bytes/3"), true).end()).isEqualTo(StreamEnd.COMPLETE);
        assertThat(ends.answers.lastPeer.names()).containsExactly("asker.test");
    }

    @Test
    void stranger_withAnotherAuthoritysCertificate_isRefused() throws Exception {
        LineServer server = ends.server(HASTY, peer);
        Line line = ends.line(server.address(), HASTY, stranger);
        assertThat(Ends.ask(line, Ends.get("/bytes/3"), true).end().reason())
                .isEqualTo(StreamEnd.Reason.NO_CONNECTION);
        await().until(() -> server.figures().strangers() > 0);
        assertThat(server.figures().connections()).isEmpty();
        assertThat(ends.answers.taken).hasValue(0);
        assertThat(Ends.figures(line).connectionsMade()).isZero();
    }

    @Test
    void stranger_withoutTls_isRefused() throws Exception {
        LineServer server = ends.server(HASTY, peer);
        try (Socket socket =
                new Socket(server.address().getAddress(), server.address().getPort())) {
            socket.setSoTimeout(180_000);
            socket.getOutputStream()
                    .write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(TunnelDoor.endOf(socket)).isIn("end", "reset");
        }
        await().until(() -> server.figures().strangers() == 1);
        Line plain = ends.line(server.address(), HASTY, null);
        assertThat(Ends.ask(plain, Ends.get("/bytes/3"), true).end().reason())
                .isEqualTo(StreamEnd.Reason.NO_CONNECTION);
        assertThat(ends.answers.taken).hasValue(0);
    }

    @Test
    void server_ofAnotherNameOrAuthority_getsNoRequest() throws Exception {
        InetSocketAddress member = ends.server(HASTY, peer).address();
        Line misdialled =
                ends.line((EventLoop) ends.loops.next(), member, "other.test", HASTY, asker);
        assertThat(Ends.ask(misdialled, Ends.get("/bytes/3"), true).end().reason())
                .isEqualTo(StreamEnd.Reason.NO_CONNECTION);
        InetSocketAddress fraud = ends.server(HASTY, stranger).address();
        Line deceived =
                ends.line((EventLoop) ends.loops.next(), fraud, "stranger.test", HASTY, asker);
        StreamEnd end = Ends.ask(deceived, Ends.get("/bytes/3"), true).end();
        assertThat(end.reason()).isEqualTo(StreamEnd.Reason.NO_CONNECTION);
        assertThat(end.detail()).contains("TLS");
        assertThat(ends.answers.taken).hasValue(0);
    }
}
