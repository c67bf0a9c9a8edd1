package dev.komainu.organizer.line.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.kit.Ends;
import dev.komainu.organizer.member.Credentials;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Renewal of a server's certificate while peers connect. */
class RenewalTest {

    @TempDir
    Path secrets;

    private final Ends ends = new Ends();

    @AfterEach
    void close() throws Exception {
        ends.close();
    }

    @ParameterizedTest
    @EnumSource(names = {"TCP", "QUIC"})
    void renewal_duringAHandshake_endsTheConnectionThatShowsTheFormerCertificate(
            LineCarrier carrier) throws Exception {
        ends.carrier = carrier;
        Credentials shared = Credentials.ofSecret(
                Files.writeString(secrets.resolve("secret"), "zJ4kWq8vN2xR7tBm5pLs9dFg3hYc6uEa"),
                "test");
        AtomicReference<LineServer> server = new AtomicReference<>();
        AtomicInteger handshakes = new AtomicInteger();
        LineTls accepting = new LineTls(
                shared.tls(), shared.keys(), shared.trust(), (session, isOpen, close) -> {
                    // The certificates are exchanged, and the connection does not exist yet.
                    if (handshakes.getAndIncrement() == 0) {
                        server.get().renew();
                    }
                    return true;
                });
        server.set(ends.server(Ends.QUICK, accepting));
        Line line = ends.line(
                server.get().address(),
                Ends.QUICK.withConnections(1),
                new LineTls(shared.tls(), shared.keys(), shared.trust()));

        await().untilAsserted(() -> assertThat(handshakes).hasValueGreaterThanOrEqualTo(2));

        assertThat(Ends.ask(line, Ends.get("/bytes/3"), true).end().reason())
                .isEqualTo(StreamEnd.Reason.COMPLETE);
        assertThat(handshakes).hasValue(2);
    }
}
