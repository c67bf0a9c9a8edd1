package dev.komainu.agent.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.connection.tcp.ConnectionListener;
import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.FrameDecoder;
import dev.komainu.agent.packet.FrameList;
import dev.komainu.agent.packet.LinkType;
import dev.komainu.agent.packet.Talk;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Damaged, shuffled, duplicated and missing packets of real protocols: no exception, no leak. */
class HostileTrafficTest {

    private static final String TLS = "\26\3\1\0\5\1\0\0\1x\24\3\3\0\1\1\27\3\3\0\65"
            + "x".repeat(53) + "\27\3\3\0\20" + "x".repeat(16);

    private static List<Frame> conversations() {
        List<Frame> frames = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Talk http = new Talk(
                            "10.0.0.1:" + (40_000 + i),
                            "10.0.0.2:80",
                            i * 1_000_000_000,
                            -50,
                            frames)
                    .handshake();
            http.request("GET /1 HTTP/1.1\r\n\r\nPOST /2 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc");
            http.answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
            http.answer("0\r\n\r\nHTTP/1.1 204 No\r\n\r\n")
                    .get("/3")
                    .ok("x".repeat(500))
                    .closeByServer();
            Talk tls =
                    new Talk("10.0.0.1:" + (40_000 + i), "10.0.0.2:443", 5, 6, frames).handshake();
            tls.request(TLS).answer(TLS).request(TLS).answer(TLS).closeByClient();
        }
        frames.sort(Comparator.comparingLong(Frame::micros));
        return frames;
    }

    @Property(tries = 400)
    void anyDamageAndOrder_everyRowIsGivenBack(
            @ForAll long seed, @ForAll @IntRange(min = 1, max = 12) int cap) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Frame> frames = new ArrayList<>();
        for (Frame frame : conversations()) {
            int fate = random.nextInt(12);
            byte[] bytes = frame.bytes().clone();
            if (fate == 0) {
                continue;
            }
            if (fate == 1) {
                bytes[34 + random.nextInt(bytes.length - 34)] = (byte) random.nextInt();
            } else if (fate == 2) {
                bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            }
            Frame changed = new Frame(
                    frame.micros() + random.nextInt(-9_000, 9_000), LinkType.ETHERNET, bytes);
            frames.add(fate == 3 ? changed.cutTo(40 + random.nextInt(80)) : changed);
            if (fate == 4) {
                frames.add(changed.at(changed.micros() + 3_000));
            }
        }
        frames.sort(Comparator.comparingLong(Frame::micros));
        int[] open = {0};
        ConnectionAnalyzer analyzer =
                analyzer(AnalyzerConfig.file(Set.of(80, 443)).withMaxConnections(cap), open);
        new FrameList(frames).run(new FrameDecoder(analyzer));
        assertThat(analyzer.following()).isLessThanOrEqualTo(cap);
        analyzer.flush();
        assertThat(analyzer.rowsInUse()).isZero();
        assertThat(open[0]).as("opened minus closed").isZero();
    }

    @Test
    void synFlood_staysBelowItsCap() {
        int[] open = {0};
        ConnectionAnalyzer analyzer =
                analyzer(AnalyzerConfig.live(Set.of(80)).withMaxConnections(5_000), open);
        FrameDecoder decoder = new FrameDecoder(analyzer);
        List<Frame> frames = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            new Talk(
                            "10." + i / 60_000 + "." + i / 250 % 250 + "." + i % 250 + ":999",
                            "10.9.9.9:80",
                            i,
                            0,
                            frames)
                    .pause(i * 10L)
                    .up(Talk.SYN, "");
        }
        new FrameList(frames).run(decoder);
        assertThat(analyzer.following()).isEqualTo(5_000);
        assertThat(analyzer.counts().evicted()).isEqualTo(15_000);
        analyzer.flush();
        assertThat(open[0]).isZero();
        assertThat(analyzer.rowsInUse()).isZero();
    }

    @Test
    void limits_fitTheHeap() {
        assertThat(AnalyzerConfig.connectionsIn(32 << 20)).isBetween(50_000, 60_000);
        assertThat(AnalyzerConfig.connectionsIn(8L << 30)).isEqualTo(1_000_000);
    }

    private static ConnectionAnalyzer analyzer(AnalyzerConfig config, int[] open) {
        return new ConnectionAnalyzer(
                config, new ServiceNumbers(Object::toString), new ConnectionListener() {
                    @Override
                    public void opened(int service, long micros) {
                        open[0]++;
                    }

                    @Override
                    public void closed(
                            int service,
                            long micros,
                            dev.komainu.telemetry.record.ConnectionState state,
                            long durationMicros,
                            boolean timedOut,
                            boolean paused) {
                        open[0]--;
                    }
                });
    }
}
