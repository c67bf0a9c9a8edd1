package dev.komainu.agent.summary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.agent.lab.Records;
import dev.komainu.agent.packet.Talk;
import dev.komainu.agent.summary.WindowJoinTest.AssignedFrame;
import dev.komainu.agent.summary.WindowJoinTest.Lane;
import dev.komainu.telemetry.record.ConnectionParts;
import dev.komainu.telemetry.record.PartsSum;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.record.WindowParts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The parts of a window must together be that window. */
class PartRecorderTest {

    private static final Supplier<Set<String>> BOTH = () -> Set.of("here:80", "here:8080");

    @ParameterizedTest
    @CsvSource({"1, false", "1, true", "3, false", "3, true"})
    void sumOfTheParts_anyTraffic_isTheWindow(int threads, boolean losses) throws Exception {
        List<TelemetryRecord> records =
                run(WindowJoinTest.traffic(new Random(threads), 400, losses), threads, BOTH);

        int compared = 0;
        for (int i = 0; i + 1 < records.size(); i++) {
            if (records.get(i) instanceof WindowParts parts) {
                ServiceWindow window = (ServiceWindow) records.get(i + 1);
                assertThat(window.service()).isEqualTo(parts.service());
                assertThat(window.fromMicros()).isEqualTo(parts.fromMicros());
                assertSame(sumOf(parts, window), window);
                compared++;
            }
        }
        assertThat(compared).isGreaterThan(20);
    }

    private static ServiceWindow sumOf(WindowParts parts, ServiceWindow window) {
        PartsSum sum = new PartsSum();
        parts.parts().read(sum);
        sum.source(window);
        return sum.take(window.service(), window.fromMicros(), window.lengthMicros());
    }

    private static void assertSame(ServiceWindow sum, ServiceWindow window) {
        // The means of several threads are added in another order.
        Set<String> apart =
                Set.of("[].concurrency.concurrentMean", "[].concurrency.processingMean");
        assertThat(Records.differences(List.of(window), List.of(sum), 0, apart)).isEmpty();
        assertThat(sum.concurrency().concurrentMean())
                .isCloseTo(window.concurrency().concurrentMean(), within(1e-9));
        assertThat(sum.concurrency().processingMean())
                .isCloseTo(window.concurrency().processingMean(), within(1e-9));
    }

    @Test
    void parts_ofAServiceThatIsNotRequested_areNotReported() throws Exception {
        List<TelemetryRecord> records = run(
                WindowJoinTest.traffic(new Random(7), 100, false), 1, () -> Set.of("here:8080"));

        assertThat(partsIn(records)).extracting(WindowParts::service).containsOnly("here:8080");
    }

    @Test
    void parts_requestedWhileConnectionsAreOpen_containThem() throws Exception {
        Talk talk = new Talk("10.0.0.1:20000", "10.9.0.1:80", 1, 2, new ArrayList<>());
        talk.handshake().get("/a").pause(2_500_000).ok("x").pause(1_000_000).closeByClient();
        int[] windows = {0};
        // From the second window on, when the request waits.
        List<TelemetryRecord> records =
                run(framesOf(talk), 1, () -> windows[0]++ == 0 ? Set.of() : BOTH.get());

        assertThat(partsIn(records)).hasSizeGreaterThanOrEqualTo(2);
        WindowParts first = partsIn(records).getFirst();
        ServiceWindow window = (ServiceWindow) records.get(records.indexOf(first) + 1);
        assertThat(window.concurrency().processingMean()).isPositive();
        assertSame(sumOf(first, window), window);
    }

    @Test
    void port_usedAgainInOnePacket_doesNotCountAsTwoOpenConnections() throws Exception {
        Talk early = new Talk("10.1.0.1:20000", "10.9.0.1:80", 1, 2, new ArrayList<>());
        List<AssignedFrame> frames = framesOf(early.handshake().closeByClient());
        for (int i = 0; i < 2; i++) {
            Talk talk = new Talk(
                    "10.0.0.1:20000", "10.9.0.1:80", 1 + i * 100_000, 2, new ArrayList<>());
            talk.pause(1_200_000 + i * 400_000L).handshake();
            frames.addAll(framesOf(talk));
        }
        List<TelemetryRecord> records = run(frames, 1, BOTH);

        for (WindowParts parts : partsIn(records)) {
            ServiceWindow window = (ServiceWindow) records.get(records.indexOf(parts) + 1);
            assertThat(parts.parts().count()).isLessThanOrEqualTo(1);
            assertSame(sumOf(parts, window), window);
        }
    }

    @Test
    void moreConnectionsThanTheLimit_areASample_andTheNextWindowIsExact() throws Exception {
        int many = ConnectionParts.MOST + 3_000;
        // The first window is not recorded.
        Talk early = new Talk("10.1.0.1:20000", "10.9.0.1:80", 1, 2, new ArrayList<>());
        List<AssignedFrame> frames = framesOf(early.handshake().closeByClient());
        for (int i = 0; i < many; i++) {
            Talk talk = new Talk(
                    "10.0." + i / 200 + "." + i % 200 + ":30000",
                    "10.9.0.1:80",
                    1,
                    2,
                    new ArrayList<>());
            talk.pause(1_100_000 + i * 20L).handshake();
            if (i % 100 == 0) {
                talk.pause(1_000_000).get("/a").ok("x").closeByClient();
            } else {
                talk.closeByClient();
            }
            frames.addAll(framesOf(talk));
        }
        frames.sort(Comparator.comparingLong(dealt -> dealt.frame().micros()));
        List<TelemetryRecord> records = run(frames, 1, BOTH);

        List<WindowParts> samples =
                partsIn(records).stream().filter(WindowParts::isSample).toList();
        assertThat(samples).isNotEmpty().allSatisfy(sample -> {
            assertThat(sample.parts().count()).isEqualTo(ConnectionParts.SAMPLE);
            assertThat((double) sample.connections()).isCloseTo(many, within(many * 0.1));
        });
        WindowParts later = partsIn(records).getLast();
        assertThat(later.isSample()).isFalse();
        assertThat(later.connections()).isBetween(1L, (long) ConnectionParts.MOST);
        ServiceWindow window = (ServiceWindow) records.get(records.indexOf(later) + 1);
        assertSame(sumOf(later, window), window);
    }

    /** A full window must stay far below the limit of a record, 4 MB. */
    @Test
    void parts_takeAboutAHundredBytesForAConnection() throws Exception {
        long bytes = 0;
        long connections = 0;
        for (WindowParts parts :
                partsIn(run(WindowJoinTest.traffic(new Random(11), 400, false), 1, BOTH))) {
            bytes += parts.parts().bytes();
            connections += parts.connections();
        }

        assertThat(connections).isGreaterThan(400);
        assertThat((double) bytes / connections).isBetween(15.0, 110.0);
    }

    @Test
    void keys_ofTwoProbesThatSeeTheSame_areTheSameAndDistinct() throws Exception {
        List<AssignedFrame> traffic = WindowJoinTest.traffic(new Random(3), 300, false);

        Set<Long> one = keysIn(run(traffic, 1, BOTH));

        assertThat(one).hasSizeGreaterThan(250).isEqualTo(keysIn(run(traffic, 2, BOTH)));
    }

    private static Set<Long> keysIn(List<TelemetryRecord> records) {
        Set<Long> keys = new HashSet<>();
        for (WindowParts parts : partsIn(records)) {
            for (long key : parts.parts().keys()) {
                keys.add(key);
            }
        }
        return keys;
    }

    private static List<WindowParts> partsIn(List<TelemetryRecord> records) {
        return records.stream()
                .filter(WindowParts.class::isInstance)
                .map(WindowParts.class::cast)
                .toList();
    }

    private static List<AssignedFrame> framesOf(Talk talk) {
        return new ArrayList<>(
                talk.frames().stream().map(frame -> new AssignedFrame(frame, 0)).toList());
    }

    /** Runs the threads one after the other: the last one reports each window. */
    private static List<TelemetryRecord> run(
            List<AssignedFrame> traffic, int threads, Supplier<Set<String>> detailed)
            throws Exception {
        List<TelemetryRecord> windows = new ArrayList<>();
        WindowJoin join = threads == 1 ? null : new WindowJoin(windows::add);
        List<CaptureSession> sessions = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            sessions.add(new CaptureSession(
                    new Lane(traffic, i, threads),
                    WindowJoinTest.CONFIG.sharedBy(threads),
                    WindowJoinTest.NAMES,
                    Duration.ofSeconds(1),
                    record -> {
                        if (record instanceof ServiceWindow || record instanceof WindowParts) {
                            windows.add(record);
                        }
                    },
                    join == null ? null : join.part(),
                    detailed));
        }
        for (CaptureSession session : sessions) {
            session.run();
        }
        return windows;
    }
}
