package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.agent.lab.Lab;
import dev.komainu.agent.lab.Records;
import dev.komainu.agent.packet.CaptureWriter;
import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.Talk;
import dev.komainu.telemetry.kit.Capability;
import dev.komainu.telemetry.kit.Program;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An agent that reads with two threads, compared with one that reads with one, at a link on which a
 * capture is replayed.
 */
class CaptureThreadsTest {

    private static final String SERVER = "10.9.0.1:80";
    private static final String SERVER6 = "[fd09::1]:80";
    private static final long BETWEEN_MICROS = 50_000;
    private static final int EACH = 40;

    @TempDir
    Path directory;

    private Lab lab;

    @BeforeEach
    void setUp() {
        Capability.need("captures of an agent", Capability.NET_RAW);
        Program.need("tcpreplay");
        lab = Lab.orSkip();
        lab.namespace("here");
        lab.namespace("there");
        lab.cable("here", "w0", "there", "w1");
    }

    @AfterEach
    void tearDown() {
        if (lab != null) {
            lab.close();
        }
    }

    /**
     * IPv4, IPv6, VLAN tags; of each connection both directions, from its first packet to its last.
     */
    @Test
    void twoThreads_sameTraffic_reportEveryConnectionTheSame() throws Exception {
        Path one = start("one", "1");
        Path two = start("two", "2");
        play(traffic());
        awaitArrivals(one, 3 * EACH);
        awaitArrivals(two, 3 * EACH);
        stop();

        List<ConnectionRecord> alone = connections(one);
        assertThat(alone)
                .hasSize(3 * EACH)
                .allMatch(connection -> connection.exchanges().size() == 2);
        assertThat(Records.differences(alone, connections(two), BETWEEN_MICROS, Set.of()))
                .isEmpty();
        assertThat(arrivals(two)).isEqualTo(3 * EACH);
        assertThat(Records.of(two, SourceStatus.class).getLast().troubles()).isEmpty();
    }

    /**
     * Later fragments have no ports: only after reassembly do they come to their connection's
     * thread.
     */
    @Test
    void twoThreads_fragmentsOfIpv4_areReassembledInTheirConnectionsThread() throws Exception {
        Path two = start("two", "2");
        List<Frame> frames = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Talk talk = new Talk("10.0.0.9:" + (30_000 + i), SERVER, 1_000, 9_000, frames);
            talk.handshake().get("/" + "a".repeat(800));
            Frame whole = frames.removeLast();
            fragment(whole, frames);
            talk.ok("body").closeByClient();
        }
        play(frames);
        awaitArrivals(two, 20);
        stop();
        assertThat(connections(two)).hasSize(20).allSatisfy(connection -> {
            assertThat(connection.up().uniqueBytes()).isGreaterThan(800);
            assertThat(connection.exchanges())
                    .singleElement()
                    .satisfies(exchange -> assertThat(exchange.status()).isEqualTo(200));
        });
    }

    private List<Frame> traffic() {
        List<Frame> frames = new ArrayList<>();
        for (int i = 0; i < EACH; i++) {
            int port = 20_000 + 7 * i;
            converse(new Talk("10.0." + i + ".1:" + port, SERVER, i, 9_000, frames));
            converse(new Talk("[fd00::" + (i + 1) + "]:" + port, SERVER6, i, 9_000, frames));
            List<Frame> plain = new ArrayList<>();
            converse(new Talk("10.1." + i + ".1:" + port, SERVER, i, 9_000, plain));
            plain.forEach(frame -> frames.add(tagged(frame)));
        }
        // Interleaved, each in its own order.
        frames.sort(Comparator.comparingLong(Frame::micros));
        return frames;
    }

    private static void converse(Talk talk) {
        talk.handshake().get("/one").ok("a body").get("/two").ok("another").closeByClient();
    }

    private static Frame tagged(Frame frame) {
        byte[] bytes = frame.bytes();
        ByteBuffer with = ByteBuffer.allocate(bytes.length + 4);
        with.put(bytes, 0, 12).putInt(0x81000007).put(bytes, 12, bytes.length - 12);
        return new Frame(frame.micros(), frame.link(), with.array());
    }

    /** Two of one: 400 bytes behind the IP header, and the rest. */
    private static void fragment(Frame whole, List<Frame> frames) {
        byte[] bytes = whole.bytes();
        int head = 14 + 20;
        int first = 400;
        for (int from : new int[] {0, first}) {
            int length = from == 0 ? first : bytes.length - head - first;
            ByteBuffer part = ByteBuffer.allocate(head + length);
            part.put(bytes, 0, head).put(bytes, head + from, length);
            part.putShort(16, (short) (20 + length));
            part.putShort(18, (short) (whole.micros() & 0x7fff));
            part.putShort(20, (short) (from == 0 ? 0x2000 : from / 8));
            frames.add(new Frame(whole.micros(), whole.link(), part.array()));
        }
    }

    private final List<Process> agents = new ArrayList<>();

    private Path start(String name, String threads) throws IOException {
        Path printed = directory.resolve(name + ".jsonl");
        agents.add(lab.start(
                "here",
                printed,
                Lab.agent(
                        "--capture-only",
                        "--interface",
                        "w0",
                        "--service",
                        SERVER + "," + SERVER6,
                        "--capture-threads",
                        threads,
                        "--buffer",
                        "8MB",
                        "--print")));
        await("windows of " + name)
                .atMost(Duration.ofSeconds(60))
                .until(() -> !Records.of(printed, ServiceWindow.class).isEmpty());
        return printed;
    }

    private void play(List<Frame> frames) throws IOException {
        Path capture = CaptureWriter.pcap(directory.resolve("played.pcap"), frames);
        lab.run("there", "tcpreplay -q --pps=2000 -i w1 " + capture);
    }

    private static void awaitArrivals(Path printed, long number) {
        await("arrivals").atMost(Duration.ofSeconds(60)).until(() -> arrivals(printed) >= number);
    }

    private void stop() throws InterruptedException {
        for (Process agent : agents) {
            agent.destroy();
            assertThat(agent.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static long arrivals(Path printed) throws IOException {
        return Records.of(printed, ServiceWindow.class).stream()
                .mapToLong(window -> window.connections().arrivals())
                .sum();
    }

    private static List<ConnectionRecord> connections(Path printed) throws IOException {
        return Records.of(printed, ConnectionRecord.class).stream()
                .sorted(Comparator.comparing(connection -> connection.client().toString()))
                .toList();
    }
}
