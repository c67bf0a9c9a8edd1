package dev.komainu.agent.summary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.agent.connection.AnalyzerConfig;
import dev.komainu.agent.connection.ServiceNames;
import dev.komainu.agent.lab.Records;
import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.FrameSink;
import dev.komainu.agent.packet.PacketSource;
import dev.komainu.agent.packet.Talk;
import dev.komainu.agent.pages.KnownPages;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.Failures;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Several threads that see a part of the connections each must report the same as one thread that
 * sees all.
 */
class WindowJoinTest {

    static final AnalyzerConfig CONFIG = AnalyzerConfig.live(Set.of(80, 8080));

    /** A frame and the conversation it belongs to. */
    record AssignedFrame(Frame frame, int talk) {}

    static final ServiceNames NAMES = new ServiceNames() {
        @Override
        public String nameOf(Endpoint server) {
            return server.port() < 10_000 ? "here:" + server.port() : null;
        }

        @Override
        public List<String> always() {
            return List.of("here:80");
        }
    };

    @ParameterizedTest
    @CsvSource({"2, false", "3, false", "8, false", "2, true", "8, true"})
    void windows_anyTraffic_areThoseOfOneThread(int threads, boolean losses) throws Exception {
        List<AssignedFrame> traffic = traffic(new Random(threads), 400, losses);
        List<TelemetryRecord> alone = new ArrayList<>();
        run(traffic, 1, alone);
        List<TelemetryRecord> together = Collections.synchronizedList(new ArrayList<>());
        run(traffic, threads, together);

        assertThat(connections(together)).hasSizeGreaterThan(390).isEqualTo(connections(alone));
        List<ServiceWindow> expected = windows(alone);
        List<ServiceWindow> windows = windows(together);
        // The packet that ends a window counts for it in the thread that reads it.
        Set<String> apart = Set.of(
                "[].packets.capturedPackets",
                "[].concurrency.concurrentMean",
                "[].concurrency.processingMean");
        assertThat(Records.differences(expected, windows, 0, apart)).isEmpty();
        for (int i = 0; i < windows.size(); i++) {
            assertThat(windows.get(i).concurrency().concurrentMean())
                    .isCloseTo(expected.get(i).concurrency().concurrentMean(), within(1e-9));
            // A value that becomes known late, after a gap, counts from then on: that instant
            // differs between the threads.
            assertThat(windows.get(i).concurrency().processingMean())
                    .isCloseTo(
                            expected.get(i).concurrency().processingMean(),
                            within(losses ? 0.1 : 1e-9));
        }
        assertThat(captured(together)).isEqualTo(captured(alone)).isEqualTo(traffic.size());
        assertThat(expected)
                .hasSizeGreaterThan(20)
                .anyMatch(window -> window.concurrency().concurrentMax() > 5);
        Failures failures = Failures.sum(expected);
        assertThat(failures).isNotNull();
        assertThat(failures.resetUnanswered()).isPositive();
        assertThat(failures.closedUnanswered()).isPositive();
    }

    private static long captured(List<TelemetryRecord> records) {
        return windows(records).stream()
                .filter(window -> window.service().equals("here:80"))
                .mapToLong(window -> window.packets().capturedPackets())
                .sum();
    }

    @Test
    void window_toldWhenTheLastThreadIsBeyondIt_inOrderOfTime() {
        List<TelemetryRecord> reported = new ArrayList<>();
        WindowJoin join = new WindowJoin(reported::add);
        WindowJoin.Part first = join.part();
        WindowJoin.Part other = join.part();
        first.begin(0);
        first.cut(0, 10, 5, 1, List.of(share("a", 0)));
        first.cut(10, 20, 6, 0, List.of(share("a", 10)));
        assertThat(reported).isEmpty();
        other.begin(0);
        other.cut(0, 10, 7, 2, List.of());
        assertThat(reported).singleElement().isInstanceOfSatisfying(ServiceWindow.class, window -> {
            assertThat(window.fromMicros()).isZero();
            assertThat(window.packets().capturedPackets()).isEqualTo(12);
            assertThat(window.packets().droppedPackets()).isEqualTo(3);
        });
        other.end();
        assertThat(reported).hasSize(2);
    }

    @Test
    void page_foundByOneThreadAndMissedByAnother_isLost() throws Exception {
        Talk before = new Talk("10.0.0.1:20000", "10.9.0.1:80", 1, 2, new ArrayList<>());
        before.handshake().get("/a").ok("x").closeByClient();
        Talk after = new Talk("10.0.0.1:20001", "10.9.0.1:80", 1, 2, new ArrayList<>());
        after.pause(1_000_000)
                .handshake()
                .get("/a")
                .answer("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n");
        List<AssignedFrame> traffic = new ArrayList<>();
        before.frames().forEach(frame -> traffic.add(new AssignedFrame(frame, 0)));
        after.frames().forEach(frame -> traffic.add(new AssignedFrame(frame, 1)));
        List<TelemetryRecord> reported = new ArrayList<>();
        WindowJoin join = new WindowJoin(reported::add);
        List<CaptureSession> sessions = new ArrayList<>();
        for (int lane = 0; lane < 2; lane++) {
            sessions.add(new CaptureSession(
                    new Lane(traffic, lane, 2),
                    CONFIG,
                    NAMES,
                    Duration.ofSeconds(1),
                    reported::add,
                    join.part()));
        }
        // One after the other, so that the order is always the same.
        for (CaptureSession session : sessions) {
            session.run();
        }

        assertThat(Failures.sum(windows(reported))).isEqualTo(new Failures(0, 0, 0, 1, 0, 0));
    }

    private static WindowJoin.Share share(String service, long from) {
        return new CurrentWindow(service, from, new KnownPages().of(service), true)
                .share(from, from + 10);
    }

    private static List<ServiceWindow> windows(List<TelemetryRecord> records) {
        return records.stream()
                .filter(ServiceWindow.class::isInstance)
                .map(ServiceWindow.class::cast)
                .sorted(Comparator.comparingLong(ServiceWindow::fromMicros)
                        .thenComparing(ServiceWindow::service))
                .toList();
    }

    private static List<ConnectionRecord> connections(List<TelemetryRecord> records) {
        return records.stream()
                .filter(ConnectionRecord.class::isInstance)
                .map(ConnectionRecord.class::cast)
                .sorted(Comparator.comparing(
                                (ConnectionRecord it) -> it.client().toString())
                        .thenComparing(connection -> connection.times().startMicros()))
                .toList();
    }

    private static void run(List<AssignedFrame> traffic, int threads, List<TelemetryRecord> records)
            throws Exception {
        WindowJoin join = threads == 1 ? null : new WindowJoin(records::add);
        List<Thread> running = new ArrayList<>();
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        List<CaptureSession> sessions = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            sessions.add(new CaptureSession(
                    new Lane(traffic, i, threads),
                    CONFIG.sharedBy(threads),
                    NAMES,
                    Duration.ofSeconds(1),
                    records::add,
                    join == null ? null : join.part()));
        }
        for (CaptureSession session : sessions) {
            running.add(Thread.ofPlatform().start(() -> {
                try {
                    session.run();
                } catch (Throwable e) {
                    failures.add(e);
                }
            }));
        }
        for (Thread thread : running) {
            thread.join(30_000);
            assertThat(thread.isAlive()).isFalse();
        }
        assertThat(failures).isEmpty();
    }

    /** Source of one of several threads: its own frames, and the time of the others' frames. */
    static final class Lane implements PacketSource {
        private final List<AssignedFrame> traffic;
        private final int number;
        private final int lanes;
        private volatile long delivered;

        Lane(List<AssignedFrame> traffic, int number, int lanes) {
            this.traffic = traffic;
            this.number = number;
            this.lanes = lanes;
        }

        @Override
        public void run(FrameSink sink) {
            for (AssignedFrame dealt : traffic) {
                Frame frame = dealt.frame();
                if (dealt.talk() % lanes == number) {
                    delivered++;
                    byte[] bytes = frame.bytes();
                    sink.frame(
                            frame.micros(),
                            frame.link(),
                            MemorySegment.ofArray(bytes),
                            0,
                            bytes.length,
                            frame.length());
                } else {
                    sink.idle(frame.micros());
                }
            }
        }

        @Override
        public void stop() {}

        @Override
        public long delivered() {
            return delivered;
        }

        @Override
        public long dropped() {
            return 0;
        }

        @Override
        public void close() {}
    }

    /** Returns conversations of many kinds, interleaved, no two packets in one microsecond. */
    static List<AssignedFrame> traffic(Random random, int talks, boolean losses) {
        List<AssignedFrame> all = new ArrayList<>();
        for (int i = 0; i < talks; i++) {
            Talk talk = new Talk(
                    "10.0." + random.nextInt(4) + "." + random.nextInt(4) + ":" + (20_000 + i),
                    "10.9.0.1:" + (random.nextInt(4) == 0 ? 8080 : 80),
                    random.nextInt(),
                    random.nextInt(),
                    new ArrayList<>());
            talk.micros += (long) random.nextInt(25_000) * 1_000;
            converse(talk, random);
            if (losses && i % 4 == 0 && talk.frames().size() > 6) {
                talk.frames().remove(3 + random.nextInt(talk.frames().size() - 3));
            }
            int number = i;
            talk.frames()
                    .forEach(frame ->
                            all.add(new AssignedFrame(frame.at(frame.micros() + number), number)));
        }
        all.sort(Comparator.comparingLong(dealt -> dealt.frame().micros()));
        return all;
    }

    private static void converse(Talk talk, Random random) {
        int kind = random.nextInt(10);
        if (kind == 0) {
            talk.up(Talk.SYN, "").down(Talk.RST | Talk.ACK, "");
            return;
        }
        if (kind == 1) {
            talk.up(Talk.SYN, "");
            return;
        }
        talk.handshake();
        for (int request = random.nextInt(4); request >= 0; request--) {
            talk.get("/" + request)
                    .pause(random.nextInt(300) * 1_000L)
                    .ok("body " + random.nextInt());
            talk.up(Talk.ACK, "").pause(random.nextInt(2_000) * 1_000L);
        }
        switch (kind) {
            case 2 -> talk.up(Talk.RST, "");
            case 3 -> talk.get("/reset").down(Talk.RST | Talk.ACK, "");
            case 4 -> talk.get("/unanswered");
            case 5 -> talk.get("/closed").closeByServer();
            default -> talk.closeByClient();
        }
    }
}
