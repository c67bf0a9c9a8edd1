package dev.komainu.agent.summary;

import static dev.komainu.agent.packet.Talk.RST;
import static dev.komainu.agent.packet.Talk.SYN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.connection.ServiceNames;
import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.FrameList;
import dev.komainu.agent.packet.Talk;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TimesGrid;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.assertj.core.data.Offset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ServiceWindowsTest {

    private final List<Frame> frames = new ArrayList<>();

    @Test
    void oneConnectionOverThreeSeconds_concurrencyIsWeightedByTime() {
        Talk talk = talk(1).pause(500_000).handshake();
        talk.pause(100_000).get("/").pause(199_000).ok("x");
        talk.pause(1_000_000).closeByClient();
        List<ServiceWindow> windows = windows();
        assertThat(windows).hasSize(2);
        ServiceWindow first = windows.getFirst();
        assertThat(first.fromMicros()).isEqualTo(Talk.START);
        assertThat(first.connections().arrivals()).isEqualTo(1);
        assertThat(first.concurrency().concurrentMean()).isEqualTo(0.5, Offset.offset(0.001));
        assertThat(first.concurrency().concurrentMax()).isEqualTo(1);
        // One request waits for 200 ms of the second.
        assertThat(first.concurrency().processingMean()).isEqualTo(0.2, Offset.offset(0.001));
        assertThat(first.exchanges().requests()).isEqualTo(1);
        assertThat(first.exchanges().responses()).isEqualTo(1);
        assertThat(first.times().response().toHistogram().getValueAtPercentile(50))
                .isBetween(199_000L, 201_000L);
        assertThat(windows.get(1).connections().arrivals()).isZero();
        assertThat(windows.get(1).connections().ended()).isEqualTo(1);
        assertThat(windows.get(1).times().connection().count()).isEqualTo(1);
    }

    @Test
    void connectionOfAProxysOriginSide_countsForTheOriginAndForTheProxy() {
        talk(1).handshake().get("/").ok("x").closeByClient();
        talk(2).pause(1_000).handshake().get("/").ok("x").closeByClient();
        frames.sort(Comparator.comparingLong(Frame::micros));
        ServiceNames names = new ServiceNames() {
            @Override
            public String nameOf(Endpoint server) {
                return "origin:80";
            }

            @Override
            public boolean hasOriginSides() {
                return true;
            }

            @Override
            public String originSideOf(Endpoint client, Endpoint server) {
                return client.equals(firstClient()) ? "proxy:80>origin" : null;
            }
        };
        Analysis analysis = Analysis.of(
                new FrameList(frames), AnalyzerConfig.file(Set.of()), names, Duration.ofSeconds(1));

        assertThat(analysis.windows())
                .extracting(
                        ServiceWindow::service,
                        window -> window.connections().arrivals(),
                        window -> window.exchanges().requests())
                .contains(
                        org.assertj.core.groups.Tuple.tuple("origin:80", 2L, 2L),
                        org.assertj.core.groups.Tuple.tuple("proxy:80>origin", 1L, 1L));
        assertThat(analysis.connections())
                .hasSize(2)
                .allMatch(it -> "origin:80".equals(it.service()));
    }

    @Test
    void connectionOfAProxysOriginSide_pickedUpMidstream_fromAPortBelowTheOrigins() {
        new Talk("10.0.0.1:2000", "10.0.0.3:8080", 1, 2, frames)
                .down(Talk.ACK, "rest of a response")
                .get("/")
                .ok("x");
        ServiceNames names = new ServiceNames() {
            @Override
            public @Nullable String nameOf(Endpoint server) {
                return null;
            }

            @Override
            public boolean hasOriginSides() {
                return true;
            }

            @Override
            public @Nullable String originSideOf(Endpoint client, Endpoint server) {
                return server.port() == 8080 ? "proxy:80>origin" : null;
            }
        };
        Analysis analysis = Analysis.of(
                new FrameList(frames),
                AnalyzerConfig.live(Set.of(80)),
                names,
                Duration.ofSeconds(1));

        assertThat(analysis.windows())
                .extracting(ServiceWindow::service, window -> window.exchanges().responses())
                .containsExactly(org.assertj.core.groups.Tuple.tuple("proxy:80>origin", 1L));
    }

    /** Returns the client of the first conversation. */
    private Endpoint firstClient() {
        return Analysis.of(List.copyOf(frames)).connections().stream()
                .min(Comparator.comparingLong(it -> it.times().startMicros()))
                .orElseThrow()
                .client();
    }

    @Test
    void silence_hasWindowsOfZeros() {
        talk(1).handshake().closeByClient();
        talk(2).pause(5_200_000).handshake();
        List<ServiceWindow> windows = windows();
        assertThat(windows).hasSize(6);
        for (int i = 1; i < 6; i++) {
            assertThat(windows.get(i).fromMicros())
                    .isEqualTo(windows.get(i - 1).fromMicros() + 1_000_000);
        }
        assertThat(windows.get(3).packets().up().packets()).isZero();
        assertThat(windows.get(3).concurrency().concurrentMax()).isZero();
    }

    @Test
    void endsOfEveryKind_areCountedWhereTheyBelong() {
        talk(1).up(SYN, "").down(RST | 16, "");
        talk(2).handshake().get("/").up(RST, "");
        talk(3).handshake().get("/").down(RST, "");
        talk(4).handshake().get("/").answer("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
        Talk repeats = talk(5);
        repeats.send(true, SYN, 1, 0, "").send(true, SYN, 1, 0, "");
        ServiceWindow all = windows().getFirst();
        assertThat(all.connections().arrivals()).isEqualTo(5);
        assertThat(all.connections().refused()).isEqualTo(1);
        assertThat(all.connections().resetsByClient()).isEqualTo(1);
        assertThat(all.connections().resetsByServer()).isEqualTo(1);
        assertThat(all.exchanges().requests()).isEqualTo(3);
        assertThat(all.exchanges().responses()).isEqualTo(1);
        assertThat(all.exchanges().errors()).isEqualTo(1);
        assertThat(all.packets().synRepeats()).isEqualTo(1);
        assertThat(all.packets().capturedPackets()).isEqualTo(frames.size());
    }

    @Test
    void severalServices_eachHasItsOwn_unwatchedHaveNone() {
        talk(1).handshake();
        new Talk("10.0.0.1:7", "10.0.0.3:8080", 1, 2, frames).handshake();
        ServiceNames names = new ServiceNames() {
            @Override
            public String nameOf(Endpoint server) {
                return server.port() == 80 ? "web:80" : null;
            }

            @Override
            public List<String> always() {
                return List.of("web:80", "silent:81");
            }
        };
        Analysis analysis = Analysis.of(
                new FrameList(frames),
                AnalyzerConfig.live(Set.of(80)),
                names,
                Duration.ofSeconds(1));
        assertThat(analysis.windows())
                .extracting(ServiceWindow::service)
                .containsExactly("web:80", "silent:81");
        assertThat(analysis.connection().service()).isEqualTo("web:80");
    }

    @Test
    void kernelDrops_areInTheWindow() {
        talk(1).handshake();
        FrameList source = new FrameList(frames);
        source.dropped = 17;
        Analysis analysis = Analysis.of(
                source, AnalyzerConfig.file(Set.of()), Endpoint::toString, Duration.ofSeconds(10));
        assertThat(analysis.windows())
                .extracting(window -> window.packets().droppedPackets())
                .containsExactly(17L);
        assertThat(analysis.windows())
                .extracting(ServiceWindow::lengthMicros)
                .containsExactly(10_000_000L);
    }

    @Test
    void clockJump_doesNotFillTheWorldWithZeros() {
        talk(1).handshake();
        talk(2).pause(1_000_000L * 3_600 * 24 * 365).handshake();
        assertThat(windows().size()).isLessThan(10);
    }

    @Test
    void silenceWhileSomethingIsOwed_isATimeOut() {
        talk(1).handshake().get("/never");
        talk(2).up(SYN, "").down(SYN | Talk.ACK, "");
        talk(3).handshake().get("/").ok("x").up(Talk.FIN | Talk.ACK, "").down(Talk.ACK, "");
        talk(4).handshake().get("/").ok("x");
        talk(5).up(SYN, "");
        talk(6).pause(4_000_000_000L).handshake();
        frames.sort(Comparator.comparingLong(Frame::micros));
        Analysis it = Analysis.of(
                new FrameList(frames),
                AnalyzerConfig.live(Set.of(80)),
                Endpoint::toString,
                Duration.ofSeconds(1));
        assertThat(it.windows().stream()
                        .mapToLong(window -> window.connections().timeouts())
                        .sum())
                .isEqualTo(3);
        assertThat(it.windows().stream()
                        .mapToLong(window -> window.connections().noAnswer())
                        .sum())
                .isEqualTo(1);
    }

    @Test
    void grid_containsTimesOfFinishedResponses() {
        Talk talk = talk(1).handshake().get("/").pause(99_000);
        talk.answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n").pause(9_000).answer("ab");
        talk.get("/unfinished").answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
        assertThat(windows().getFirst().times().responseByTransfer().cells())
                .contains(
                        new TimesGrid.Cell(TimesGrid.stepOf(100_000), TimesGrid.stepOf(10_000), 1));
    }

    private Talk talk(int client) {
        return new Talk("10.0.0." + client + ":40000", "10.0.0.200:80", 1, 2, frames);
    }

    private List<ServiceWindow> windows() {
        frames.sort(Comparator.comparingLong(Frame::micros));
        return Analysis.of(frames).windows();
    }
}
