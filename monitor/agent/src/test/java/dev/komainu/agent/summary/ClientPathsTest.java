package dev.komainu.agent.summary;

import static dev.komainu.agent.packet.Talk.ACK;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.FrameList;
import dev.komainu.agent.packet.Talk;
import dev.komainu.telemetry.record.ClientPaths;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.ServiceWindow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ClientPathsTest {

    private static final String SEGMENT = "x".repeat(1_400);

    private final List<Frame> frames = new ArrayList<>();

    @Test
    void acknowledgedData_givesRoundTripAndRate() {
        Talk talk = talk(1).handshake().get("/");
        for (int i = 0; i < 10; i++) {
            talk.answer(SEGMENT);
        }
        talk.pause(40_000).up(ACK, "");

        ClientPaths paths = paths();
        assertThat(paths.sendingConnections()).isEqualTo(1);
        assertThat(paths.retransmittingConnections()).isZero();
        // The first of ten segments, 1 ms apart each, was sent 50 ms before.
        assertThat(median(paths.roundTrip())).isBetween(49_000L, 51_000L);
        assertThat(median(paths.deliveryRate())).isBetween(275_000L, 285_000L);
    }

    @Test
    void fewBytes_giveNoRate() {
        talk(1).handshake().get("/").ok("x").pause(20_000).up(ACK, "");
        ClientPaths paths = paths();
        assertThat(paths.roundTrip().count()).isEqualTo(1);
        assertThat(paths.deliveryRate().count()).isZero();
    }

    /** One client of two loses segments; the acknowledgement of repeated data is no sample. */
    @Test
    void repeatedData_countsItsConnectionOnce_andIsNoSample() {
        Talk lossy = talk(1).handshake().get("/");
        int first = lossy.serverNext;
        lossy.answer(SEGMENT).pause(100_000);
        lossy.send(false, ACK, first, lossy.clientNext, SEGMENT);
        lossy.send(false, ACK, first, lossy.clientNext, SEGMENT);
        lossy.pause(10_000).up(ACK, "");
        talk(2).handshake().get("/").answer(SEGMENT).pause(5_000).up(ACK, "");

        ClientPaths paths = paths();
        assertThat(paths.sendingConnections()).isEqualTo(2);
        assertThat(paths.retransmittingConnections()).isEqualTo(1);
        assertThat(paths.roundTrip().count()).isEqualTo(1);
        assertThat(median(paths.roundTrip())).isLessThan(8_000);
    }

    private Talk talk(int client) {
        return new Talk(
                "10.0.0." + client + ":40000", "10.0.0.9:80", 1_000, 9_000 * client, frames);
    }

    private ClientPaths paths() {
        frames.sort(Comparator.comparingLong(Frame::micros));
        List<ServiceWindow> windows = Analysis.of(
                        new FrameList(frames),
                        AnalyzerConfig.file(Set.of()),
                        server -> "a:80",
                        Duration.ofSeconds(1))
                .windows();
        return Objects.requireNonNull(windows.getFirst().clientPaths());
    }

    private static long median(Distribution distribution) {
        return distribution.toHistogram().getValueAtPercentile(50);
    }
}
