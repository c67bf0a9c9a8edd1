package dev.komainu.agent.summary;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.Talk;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.HttpExchange;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TimesGrid;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.HdrHistogram.Histogram;

/** Conservation: the sums over all windows equal the sums over all connection records. */
class ConservationTest {

    @Property(tries = 150)
    void anyTraffic_windowsAddUpToTheRecords(@ForAll long seed) {
        Analysis analysis = Analysis.of(traffic(new SplittableRandom(seed)));
        List<ServiceWindow> windows = analysis.windows();
        List<ConnectionRecord> records = analysis.connections();
        List<HttpExchange> exchanges =
                records.stream().flatMap(record -> record.exchanges().stream()).toList();

        assertThat(sum(windows, window -> window.connections().ended())).isEqualTo(records.size());
        assertThat(sum(windows, window -> window.connections().arrivals()))
                .isEqualTo(count(records, r -> r.handshake().synMicros() != null));
        assertThat(sum(windows, window -> window.connections().refused()))
                .isEqualTo(inState(records, ConnectionState.REFUSED));
        assertThat(sum(windows, window -> window.connections().noAnswer()))
                .isEqualTo(inState(records, ConnectionState.NO_ANSWER));
        assertThat(sum(windows, window -> window.connections().resetsByClient()))
                .isEqualTo(inState(records, ConnectionState.RST_CLIENT));
        assertThat(sum(windows, window -> window.connections().resetsByServer()))
                .isEqualTo(inState(records, ConnectionState.RST_SERVER));
        assertThat(total(windows.stream().map(window -> window.packets().up())))
                .isEqualTo(total(records.stream().map(ConnectionRecord::up)));
        assertThat(total(windows.stream().map(window -> window.packets().down())))
                .isEqualTo(total(records.stream().map(ConnectionRecord::down)));

        assertThat(sum(windows, window -> window.exchanges().requests()))
                .isEqualTo(exchanges.size());
        assertThat(sum(windows, window -> window.exchanges().responses()))
                .isEqualTo(count(exchanges, e -> e.responseMicros() != null));
        assertThat(sum(windows, window -> window.exchanges().errors()))
                .isEqualTo(count(exchanges, e -> e.status() != null && e.status() >= 500));
        same(windows, window -> window.times().response(), exchanges, HttpExchange::responseMicros);
        same(windows, window -> window.times().transfer(), exchanges, HttpExchange::transferMicros);
        // A packet after the end moves a record's T_c, but not that of its
        // window, which was reported before.
        assertThat(sum(windows, w -> w.times().connection().count())).isEqualTo(records.size());
        same(
                windows,
                w -> w.times().roundTrips().acknowledgement(),
                exchanges,
                HttpExchange::acknowledgementMicros);
        same(windows, w -> w.times().roundTrips().think(), exchanges, HttpExchange::thinkMicros);
        same(
                windows,
                w -> w.times().roundTrips().client(),
                records,
                r -> r.handshake().clientRttMicros());
        same(
                windows,
                w -> w.times().roundTrips().server(),
                records,
                r -> r.handshake().handshakeMicros() == null
                        ? null
                        : r.handshake().serverRttMicros());
        TimesGrid.Recorder grid = new TimesGrid.Recorder();
        exchanges.stream()
                .filter(e -> e.responseMicros() != null)
                .forEach(e -> grid.record(e.responseMicros(), e.transferMicros()));
        assertThat(TimesGrid.sum(windows.stream()
                        .map(window -> window.times().responseByTransfer())
                        .toList()))
                .isEqualTo(grid.take());
    }

    /**
     * Returns some connections of every kind at once, some of their packets late, duplicated or
     * missing.
     */
    private static List<Frame> traffic(SplittableRandom random) {
        List<Frame> frames = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            List<Frame> own = new ArrayList<>();
            Talk talk = new Talk(
                    "10.0.0." + i + ":40000",
                    "10.0.0.200:80",
                    random.nextInt(),
                    random.nextInt(),
                    own);
            talk.pause(random.nextInt(3_000_000));
            switch (random.nextInt(8)) {
                case 0 -> talk.up(Talk.SYN, "").down(Talk.RST | Talk.ACK, "");
                case 1 -> talk.up(Talk.SYN, "");
                default -> life(random, talk);
            }
            for (int at = 0; at < own.size(); at++) {
                Frame frame = own.get(at);
                switch (random.nextInt(14)) {
                    case 0 -> own.set(at, frame.at(frame.micros() + 2_500));
                    case 1 -> frames.add(frame.at(frame.micros() + 1_300));
                    case 2 -> own.remove(at);
                    default -> {}
                }
            }
            frames.addAll(own);
        }
        frames.sort(Comparator.comparingLong(Frame::micros));
        return frames;
    }

    private static void life(SplittableRandom random, Talk talk) {
        talk.handshake();
        for (int request = random.nextInt(4); request >= 0; request--) {
            talk.get("/" + request);
            if (random.nextBoolean()) {
                talk.down(Talk.ACK, "");
            }
            talk.pause(random.nextInt(700_000));
            if (random.nextInt(6) == 0) {
                talk.answer("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
            } else {
                talk.ok("x".repeat(random.nextInt(900)));
            }
            talk.up(Talk.ACK, "").pause(random.nextInt(200_000));
        }
        switch (random.nextInt(5)) {
            case 0 -> talk.closeByServer();
            case 1 -> talk.up(Talk.RST, "");
            case 2 -> talk.get("/unanswered").down(Talk.RST, "");
            case 3 -> talk.get("/unanswered");
            default -> talk.closeByClient();
        }
    }

    private static <T> void same(
            List<ServiceWindow> windows,
            Function<ServiceWindow, Distribution> field,
            Collection<T> facts,
            Function<T, Long> value) {
        Histogram ofWindows = Distribution.newRecorder();
        windows.forEach(window -> field.apply(window).addTo(ofWindows));
        Histogram ofRecords = Distribution.newRecorder();
        facts.stream()
                .map(value)
                .filter(Objects::nonNull)
                .forEach(v -> Distribution.record(ofRecords, v));
        assertThat(Distribution.of(ofWindows)).isEqualTo(Distribution.of(ofRecords));
    }

    private static long sum(List<ServiceWindow> windows, ToLongFunction<ServiceWindow> field) {
        return windows.stream().mapToLong(field).sum();
    }

    private static <T> long count(List<T> facts, Predicate<T> condition) {
        return facts.stream().filter(condition).count();
    }

    private static long inState(List<ConnectionRecord> records, ConnectionState state) {
        return count(records, record -> record.state() == state);
    }

    private static DirectionTotals total(Stream<DirectionTotals> parts) {
        return parts.reduce(
                DirectionTotals.NONE,
                (a, b) -> new DirectionTotals(
                        a.packets() + b.packets(),
                        a.wireBytes() + b.wireBytes(),
                        a.payloadBytes() + b.payloadBytes(),
                        a.uniqueBytes() + b.uniqueBytes(),
                        a.retransmissions() + b.retransmissions(),
                        a.outOfOrder() + b.outOfOrder(),
                        a.zeroWindow() + b.zeroWindow()));
    }
}
