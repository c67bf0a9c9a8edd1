package dev.komainu.organizer.line.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.komainu.intermediary.kit.Certified;
import dev.komainu.organizer.line.ConnectionFigures;
import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.LineTls;
import dev.komainu.organizer.line.StreamEnd;
import dev.komainu.organizer.line.endpoint.CarrierChoice.Traffic;
import dev.komainu.organizer.line.kit.Answers;
import dev.komainu.organizer.line.kit.Ends;
import dev.komainu.organizer.line.kit.Heard;
import io.netty.channel.epoll.Epoll;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A line that uses TCP until the loss is high, and QUIC as long as it is. */
class AutoCarrierTest {

    private static final Traffic LOSSY = new Traffic(10_000_000, 100_000, 200_000);
    private static final Traffic CLEAN = new Traffic(10_000_000, 0, 200_000);
    private static final Duration LONG = Duration.ofSeconds(120);

    @TempDir
    static Path directory;

    private static LineTls tls;

    private final Ends ends = new Ends();

    @BeforeAll
    static void createCertificates() throws Exception {
        Certified.make(directory, "EC", "-1d", "peer.test").write(directory, "peer");
        Path certificate = directory.resolve("peer.crt");
        tls = new LineTls(
                certificate,
                directory.resolve("peer.key"),
                Files.copy(certificate, directory.resolve("members.crt")));
    }

    @AfterEach
    void tearDown() throws Exception {
        ends.close();
    }

    private Line line(LineServer server) throws Exception {
        ends.carrier = LineCarrier.AUTO;
        Line line = ends.line(server.address(), Ends.QUICK, tls);
        carries(line);
        assertThat(over(line)).containsOnly(LineCarrier.TCP);
        return line;
    }

    private static void carries(Line line) throws Exception {
        assertThat(Ends.ask(line, Ends.get("/bytes/9"), true).end()).isEqualTo(StreamEnd.COMPLETE);
    }

    private static Iterable<LineCarrier> over(Line line) throws Exception {
        return Ends.figures(line).connections().stream()
                .filter(ConnectionFigures::isUp)
                .map(ConnectionFigures::over)
                .toList();
    }

    private static void pass(Line line, Duration later, Traffic traffic) throws Exception {
        Ends.on(line, () -> {
            line.choose(System.nanoTime() + later.toNanos(), traffic);
            return true;
        });
    }

    private static void awaitQuic(Line line) {
        await().atMost(LONG).untilAsserted(() -> assertThat(over(line)).contains(LineCarrier.QUIC));
    }

    /** Returns the number of open streams over a carrier. */
    private static int underWay(Line line, LineCarrier over) throws Exception {
        return Ends.figures(line).connections().stream()
                .filter(each -> each.over() == over)
                .mapToInt(ConnectionFigures::streams)
                .sum();
    }

    private LineServer server() throws IOException {
        ends.carrier = LineCarrier.AUTO;
        return ends.server(Ends.QUICK, tls);
    }

    @Test
    void loss_takesNewStreamsToQuic_andOldOnesEndWhereTheyBegan() throws Exception {
        Line line = line(server());
        Heard old = Ends.ask(line, Ends.get("/hold"), true);
        Answers.Held held = ends.answers.held.poll(180, TimeUnit.SECONDS);
        pass(line, Duration.ZERO, LOSSY);
        assertThat(Ends.figures(line).carrier()).isEqualTo(LineCarrier.QUIC);
        assertThat(Ends.figures(line).carrierWhy()).isEqualTo("1.00 % lost at 200 ms");
        awaitQuic(line);
        Heard young = Ends.ask(line, Ends.get("/hold"), true);
        Answers.Held second = ends.answers.held.poll(180, TimeUnit.SECONDS);
        assertThat(underWay(line, LineCarrier.TCP)).isEqualTo(1);
        assertThat(underWay(line, LineCarrier.QUIC)).isEqualTo(1);

        // The loss has ended: new requests use TCP, and the request on QUIC ends there.
        pass(line, Duration.ofMinutes(2), CLEAN);
        assertThat(Ends.figures(line).carrier()).isEqualTo(LineCarrier.TCP);
        carries(line);
        assertThat(over(line)).containsOnly(LineCarrier.TCP);
        for (Answers.Held each : new Answers.Held[] {held, second}) {
            each.stream().loop().execute(() -> each.stream().head(Answers.ok(), true));
        }
        assertThat(old.end()).isEqualTo(StreamEnd.COMPLETE);
        assertThat(young.end()).isEqualTo(StreamEnd.COMPLETE);
        assertThat(Ends.figures(line).repeated()).isZero();
    }

    @Test
    void peerThatOffersNoQuic_staysOnTcp() throws Exception {
        ends.carrier = LineCarrier.TCP;
        Line line = line(ends.server(Ends.QUICK, tls));
        pass(line, Duration.ZERO, LOSSY);
        assertThat(Ends.figures(line).carrier()).isEqualTo(LineCarrier.TCP);
    }

    @Test
    void udpFiltered_staysOnTcpAndReportsWhy() throws Exception {
        LineServer server = server();
        // The path to the peer carries only TCP.
        try (Cutter wire = new Cutter(server.address())) {
            ends.carrier = LineCarrier.AUTO;
            ends.quicTimeout = Duration.ofSeconds(1);
            Line line = ends.line(wire.address(), Ends.QUICK, tls);
            carries(line);
            pass(line, Duration.ZERO, LOSSY);
            assertThat(Ends.figures(line).carrier()).isEqualTo(LineCarrier.QUIC);
            carries(line);
            await().atMost(LONG).until(() -> Ends.figures(line).carrier() == LineCarrier.TCP);
            assertThat(Ends.figures(line).carrierWhy()).startsWith("QUIC: ");
            carries(line);
            assertThat(over(line)).containsOnly(LineCarrier.TCP);
            // The line does not retry at once.
            pass(line, Duration.ofSeconds(30), LOSSY);
            assertThat(Ends.figures(line).carrier()).isEqualTo(LineCarrier.TCP);
        }
    }

    @Test
    void lossOfServer_isReportedToTheClient() throws Exception {
        // Java's selector does not report TCP's figures.
        assumeTrue(
                Epoll.isAvailable(),
                "Netty's epoll: not available here (expected: Linux on a processor it is built for)");
        Line line = line(server());
        assertThat(Ends.ask(line, Ends.get("/bytes/1000000"), true).end())
                .isEqualTo(StreamEnd.COMPLETE);
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(Ends.figures(line).connections())
                        .anyMatch(each -> each.peerSentBytes() > 900_000
                                && each.peerLostBytes() <= 1_000_000));
        pass(line, Duration.ZERO, LOSSY);
        awaitQuic(line);
        assertThat(Ends.ask(line, Ends.get("/bytes/1000000"), true).end())
                .isEqualTo(StreamEnd.COMPLETE);
        await().atMost(LONG)
                .untilAsserted(() -> assertThat(Ends.figures(line).connections())
                        .anyMatch(each ->
                                each.over() == LineCarrier.QUIC && each.peerSentBytes() > 900_000));
    }
}
