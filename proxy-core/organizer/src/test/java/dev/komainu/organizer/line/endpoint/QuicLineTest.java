package dev.komainu.organizer.line.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.kit.Answers;
import dev.komainu.organizer.line.kit.Ends;
import dev.komainu.organizer.line.kit.Heard;
import dev.komainu.organizer.line.kit.Tuned;
import dev.komainu.organizer.member.Credentials;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A line over QUIC: the contract of a line, strangers refused, packets lost. */
class QuicLineTest extends SecureLineTest {

    private static final Duration LONG = Duration.ofSeconds(120);

    @TempDir
    Path secrets;

    QuicLineTest() {
        ends.carrier = LineCarrier.QUIC;
    }

    private LineTls secret(String name, String text) throws IOException {
        Credentials shared =
                Credentials.ofSecret(Files.writeString(secrets.resolve(name), text), "test");
        return new LineTls(shared.tls(), shared.keys(), shared.trust());
    }

    @Test
    void peer_withTheSameSecret_isAccepted_withAnotherRefused() throws Exception {
        String ours = "zJ4kWq8vN2xR7tBm5pLs9dFg3hYc6uEa";
        LineServer server = ends.server(Ends.QUICK, secret("server", ours));
        Line line = ends.line(server.address(), Ends.QUICK, secret("peer", ours));
        assertThat(Ends.ask(line, Ends.get("/bytes/3"), true).end()).isEqualTo(StreamEnd.COMPLETE);
        assertThat(Ends.figures(line).connections().getFirst().over()).isEqualTo(LineCarrier.QUIC);
        LineSettings hasty = Tuned.withTimes(
                Ends.QUICK,
                Duration.ofMillis(50),
                Duration.ofSeconds(60),
                Duration.ofMillis(10),
                Duration.ofMillis(500));
        Line other = ends.line(server.address(), hasty, secret("other", ours.replace('z', 'y')));
        assertThat(Ends.ask(other, Ends.get("/bytes/3"), true).end().reason())
                .isEqualTo(StreamEnd.Reason.NO_CONNECTION);
        assertThat(ends.answers.taken).hasValue(1);
    }

    @Test
    void packets_lostEitherWay_areMadeUpFor() throws Exception {
        LineServer server = ends.server(Ends.QUICK, peer);
        // Every 20th packet: 5 %.
        try (Relay wire = new Relay(server.address(), packet -> packet % 20 == 19)) {
            Line line = ends.line(wire.address(), Ends.QUICK.withConnections(1), asker);
            List<Heard> request = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                request.add(Ends.ask(line, Ends.get("/bytes/" + i * 2_000), true));
            }
            for (int i = 0; i < 40; i++) {
                assertThat(request.get(i).end()).isEqualTo(StreamEnd.COMPLETE);
                assertThat(request.get(i).body.toByteArray()).isEqualTo(Answers.pattern(i * 2_000));
            }
            // The end that sends most bytes measures the loss.
            await().atMost(LONG)
                    .untilAsserted(() -> assertThat(server.figures().connections())
                            .anyMatch(each -> each.figures().tcp().loss() > 0));
        }
    }

    @Test
    void silentPeer_isLostAfterTheTimeout() throws Exception {
        LineSettings sharp = Tuned.withTimes(
                Ends.QUICK,
                Duration.ofMillis(50),
                Duration.ofMillis(300),
                Duration.ofMillis(10),
                Duration.ofSeconds(60));
        LineServer server = ends.server(sharp, peer);
        try (Relay wire = new Relay(server.address(), packet -> false)) {
            Line line = ends.line(wire.address(), sharp, asker);
            Heard response = Ends.ask(line, Ends.head("POST", "/hold"), true);
            ends.answers.held.poll(180, TimeUnit.SECONDS);
            wire.goDumb();
            assertThat(response.end().reason()).isEqualTo(StreamEnd.Reason.LOST);
            assertThat(response.end().detail()).contains("nothing received");
        }
    }

    @Test
    void member_thatAnswersOverTcpAlone_isReachedSo() throws Exception {
        ends.carrier = LineCarrier.TCP;
        LineServer server = ends.server(Ends.QUICK, peer);
        assertThat(server.withoutQuic()).isEqualTo("not configured");
        ends.carrier = LineCarrier.QUIC;
        ends.quicTimeout = Duration.ofSeconds(1);
        Line line = ends.line(server.address(), Ends.QUICK, asker);
        assertThat(Ends.ask(line, Ends.get("/bytes/3"), true).end()).isEqualTo(StreamEnd.COMPLETE);
        assertThat(Ends.figures(line).connections().getFirst().over()).isEqualTo(LineCarrier.TCP);
    }

    @Test
    void server_withoutTls_reportsWhyItHasNoQuic() throws Exception {
        assertThat(ends.server(Ends.QUICK, null).withoutQuic()).isEqualTo("the line has no TLS");
    }

    @Test
    void drained_answersWhatIsUnderWay_andTheNextServerTakesOver() throws Exception {
        // A connection attempt while the port closes waits for this time.
        ends.quicTimeout = Duration.ofSeconds(5);
        LineServer first = ends.server(Ends.QUICK, peer);
        InetSocketAddress address = first.address();
        Line line = ends.line(address, Ends.QUICK, asker);
        Heard under = Ends.ask(line, Ends.get("/hold"), true);
        Answers.Held held = ends.answers.held.poll(180, TimeUnit.SECONDS);
        await().atMost(LONG).until(() -> first.figures().connections().size() == 2);
        first.drain();
        await().atMost(LONG).until(() -> first.figures().connections().size() == 1);
        held.stream().loop().execute(() -> held.stream().head(Answers.ok(), true));
        assertThat(under.end()).isEqualTo(StreamEnd.COMPLETE);
        await().atMost(LONG).until(() -> first.figures().connections().isEmpty());
        ends.server(address, Ends.QUICK, peer, ends.answers);
        assertThat(Ends.ask(line, Ends.head("POST", "/bytes/5"), true).end())
                .isEqualTo(StreamEnd.COMPLETE);
    }
}
