package dev.komainu.agent.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.ClientPaths;
import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.HostParts;
import dev.komainu.telemetry.record.HostParts.CardErrors;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** Given windows and samples raise a doubt or none. The time is a number. */
class SamplingTriggerTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final SamplingTrigger doubt = new SamplingTrigger();
    private long now = SECOND;
    private long arrivals = 10;
    private long roundTripMillis;

    @Test
    void steadyTraffic_isNoDoubt() {
        for (int i = 0; i < 600; i++) {
            assertThat(evaluateWindow(100, 100, 80 + i % 7, 2)).isFalse();
        }
        assertThat(doubt.reason(now)).isNull();
    }

    @Test
    void responsesThreeTimesSlower_raiseDoubtInTheSecondWindow() {
        learnUsual();
        assertThat(evaluateWindow(100, 100, 90, 20)).isFalse();
        assertThat(evaluateWindow(100, 100, 90, 20)).isTrue();
        assertThat(doubt.reason(now)).contains("here:80").contains("longer than usual");
    }

    @Test
    void noResponses_raiseDoubt() {
        learnUsual();
        boolean raised = false;
        for (int i = 0; i < 3; i++) {
            raised |= evaluateWindow(0, 0, 90, 30);
        }
        assertThat(raised).isTrue();
    }

    /** A frozen server produces no packets; its clients' connections remain. */
    @Test
    void noResponseOfARegularServer_raisesDoubtInTheFirstWindow() {
        learnUsual();
        assertThat(evaluateWindow(0, 0, 90, 0)).as("connections arrive").isTrue();
        assertThat(doubt.reason(now)).contains("no response");
    }

    @Test
    void noResponseWhenNobodyAsks_isNoDoubt() {
        learnUsual();
        arrivals = 0;
        assertThat(evaluateWindow(0, 0, 0, 0)).isFalse();
    }

    /** Under TLS, a request without a response is not seen: half of the workers are frozen. */
    @Test
    void halfOfTheResponses_raiseDoubtInTheSecondWindow_butNotForLong() {
        learnUsual();
        assertThat(evaluateWindow(50, 50, 90, 1)).isFalse();
        assertThat(evaluateWindow(50, 50, 90, 1)).isTrue();
        assertThat(doubt.reason(now)).contains("fewer responses");
        for (int i = 0; i < 120; i++) {
            evaluateWindow(50, 50, 90, 1);
        }
        assertThat(doubt.reason(now)).as("visitors may have left").isNull();
    }

    @Test
    void stoppedThreads_raiseDoubt() {
        evaluate(sample(0, 128, 0, 1L << 30).withServers(List.of(server(0))));
        assertThat(doubt.reason(now)).isNull();
        evaluate(sample(0, 128, 0, 1L << 30).withServers(List.of(server(0.25))));
        assertThat(doubt.reason(now)).isEqualTo("here:80: threads are stopped");
    }

    private static HostSample.ServerProcesses server(double stoppedShare) {
        return new HostSample.ServerProcesses(
                "here:80",
                new HostSample.ServerProcesses.Use(4, 4, 1, 0),
                new HostSample.ServerProcesses.OpenFiles(null, null),
                new HostSample.ServerProcesses.AcceptQueue(null, null, null),
                null,
                null,
                null,
                null,
                new HostSample.ServerProcesses.Details(
                        new HostSample.ThreadStates(
                                stoppedShare, null, null, null, null, null, null),
                        null,
                        null,
                        null,
                        null));
    }

    @Test
    void failedResponsesInTheLog_raiseDoubt() {
        evaluate(sample(0, 128, 0, 1L << 30).withServers(List.of(logged(1, 0.2, 0.05))));
        assertThat(doubt.reason(now)).isNull();
        evaluate(sample(0, 128, 0, 1L << 30).withServers(List.of(logged(0.4, 0.4, 0))));
        assertThat(doubt.reason(now)).isNull();
        evaluate(sample(0, 128, 0, 1L << 30).withServers(List.of(logged(2, 0.3, 0.3))));
        assertThat(doubt.reason(now)).isEqualTo("here:80: logged responses fail");
    }

    private static HostSample.ServerProcesses logged(
            double perSecond, double errorsPerSecond, double lostPagesPerSecond) {
        HostSample.ServerProcesses server = server(0);
        return server.withDetails(server.details()
                .withLogged(new HostSample.LoggedResponses(
                        perSecond, errorsPerSecond, 0.9 * perSecond, lostPagesPerSecond)));
    }

    /** Without loss, only the round trip shows a queue that fills beyond this host. */
    @Test
    void longerRoundTripsToClients_raiseDoubtInTheSecondWindow() {
        roundTripMillis = 5;
        learnUsual();
        roundTripMillis = 60;
        assertThat(evaluateWindow(100, 100, 90, 2)).isFalse();
        assertThat(evaluateWindow(100, 100, 90, 2)).isTrue();
        assertThat(doubt.reason(now)).contains("longer to the clients");
    }

    @Test
    void limitsSetFromOutside_raiseDoubtByTheirNames() {
        HostSample.ServerProcesses server = new HostSample.ServerProcesses(
                "here:80",
                new HostSample.ServerProcesses.Use(1, 1, 1, 0.5),
                new HostSample.ServerProcesses.OpenFiles(null, null),
                new HostSample.ServerProcesses.AcceptQueue(null, null, null),
                null,
                null,
                new HostSample.ControlGroup(0.5, 0.3, 0.1, 100L, 95L, 1.0, 500.0, 0.0, null, null),
                new HostSample.Ports(25_000, 28_232, null));
        HostSample calm = sample(0, 128, 0, 1L << 30);
        assertThat(NearLimits.of(calm)).isEmpty();
        HostSample near = calm.withServers(List.of(server));
        assertThat(NearLimits.of(near))
                .containsExactly(
                        "CPU quota of here:80", "memory limit of here:80", "ports of here:80");
        evaluate(near);
        assertThat(doubt.reason(now)).isEqualTo("CPU quota of here:80");
    }

    @Test
    void connectionsClimbing_raiseDoubt_whileAFewMoreDoNot() {
        learnUsual();
        assertThat(evaluateWindow(100, 100, 120, 2)).isFalse();
        boolean raised = false;
        for (int i = 1; i <= 3; i++) {
            raised |= evaluateWindow(100, 100, 200 + i * 40, 2);
        }
        assertThat(raised).isTrue();
        assertThat(doubt.reason(now)).contains("increase");
    }

    @Test
    void arrivalsAboveProcessed_raiseDoubtWithoutLearning() {
        assertThat(evaluateWindow(100, 60, 90, 2)).isFalse();
        assertThat(evaluateWindow(100, 60, 90, 2)).isTrue();
    }

    @Test
    void serverErrorsTwiceInARow_raiseDoubt() {
        learnUsual();
        assertThat(failing(9)).isFalse();
        assertThat(failing(9)).isFalse();
        assertThat(failing(10)).isFalse();
        assertThat(failing(10)).isTrue();
        assertThat(doubt.reason(now)).contains("server errors");
    }

    @Test
    void causeAbsent_doubtEndsThirtySecondsLater() {
        evaluate(sample(600, 511, 0, 1 << 30));
        assertThat(doubt.reason(now)).contains("listen queue of here:80 at 600 of 511");
        now += SamplingTrigger.HOLD_NANOS - 1;
        assertThat(doubt.reason(now)).isNotNull();
        now += 1;
        assertThat(doubt.reason(now)).isNull();
    }

    @Test
    void persistentCause_isSuppressedLongerEachTime() {
        List<Long> begins = new ArrayList<>();
        int inDoubt = 0;
        for (long minute = 0, second = 0; minute < 24 * 60; minute = ++second / 60) {
            now += SECOND;
            if (doubt.onSample(sample(0, 511, 99, 1 << 30), now)) {
                begins.add(minute);
            }
            inDoubt += doubt.reason(now) == null ? 0 : 1;
        }
        // Five minutes each, with rests of 5, 10, 20, 40 minutes, then of an hour.
        assertThat(begins).startsWith(0L, 10L, 25L, 50L, 95L, 160L);
        assertThat(inDoubt).isLessThan(24 * 3_600 / 10);
        assertThat(doubt.totals(now).times()).isEqualTo(begins.size());
        assertThat(doubt.totals(now).seconds()).isBetween(inDoubt - 60L, inDoubt + 60L);
        assertThat(doubt.totals(now).lasting()).containsExactly("tasks wait for CPUs");
    }

    @Test
    void anotherCause_raisesDoubtWhileTheFirstIsSuppressed() {
        for (int second = 0; second < 3_400; second++) {
            now += SECOND;
            evaluate(sample(0, 511, 99, 1 << 30));
        }
        // Its fourth rest, of 40 minutes, has begun; the rest of all causes ends soon.
        now += SamplingTrigger.REST_NANOS;
        evaluate(sample(0, 511, 99, 1 << 30));
        assertThat(doubt.reason(now)).isNull();
        evaluate(sample(600, 511, 99, 1 << 30));
        assertThat(doubt.reason(now)).contains("listen queue of here:80");
    }

    @Test
    void causeNewSinceTheDoubt_endsTheRest() {
        for (int second = 0; second < 310; second++) {
            now += SECOND;
            evaluate(sample(0, 511, 99, 1 << 30));
        }
        assertThat(doubt.reason(now)).as("resting").isNull();
        evaluate(sample(600, 511, 99, 1 << 30));
        assertThat(doubt.reason(now)).contains("listen queue of here:80");
    }

    @Test
    void causeAbsentForLong_raisesDoubtAsAtFirst() {
        for (int second = 0; second < 3_300; second++) {
            now += SECOND;
            evaluate(sample(0, 511, 99, 1 << 30));
        }
        now += 2 * SamplingTrigger.LONGEST_REST_NANOS;
        long before = now;
        boolean begun = false;
        for (int second = 0; second < 900; second++) {
            now += SECOND;
            begun |= doubt.onSample(sample(0, 511, 99, 1 << 30), now)
                    && now - before > SamplingTrigger.MOST_NANOS;
        }
        assertThat(begun).as("again after the first rest of five minutes").isTrue();
    }

    @Test
    void memoryFalling_raisesDoubtBeforeItIsGone() {
        evaluate(sample(0, 511, 0, 900 << 20));
        assertThat(doubt.reason(now)).isNull();
        evaluate(sample(0, 511, 0, 890 << 20));
        assertThat(doubt.reason(now)).isNull();
        // 100 MB in ten seconds: the other 790 MB last 79 s.
        evaluate(sample(0, 511, 0, 790 << 20));
        assertThat(doubt.reason(now)).contains("available memory decreases fast");
    }

    @Test
    void queueOfAnUnwatchedService_isNoDoubt() {
        HostSample other = sample(600, 511, 0, 1 << 30, null);
        assertThat(doubt.onSample(other, now)).isFalse();
    }

    private void learnUsual() {
        for (int i = 0; i < 60; i++) {
            assertThat(evaluateWindow(100, 100, 90, 2)).isFalse();
        }
    }

    private boolean evaluateWindow(
            long requests, long responses, double concurrent, double processing) {
        return evaluateWindow(requests, responses, 0, concurrent, processing);
    }

    /** Evaluates a usual window with this many server errors among its hundred responses. */
    private boolean failing(long errors) {
        return evaluateWindow(100, 100, errors, 80, 2);
    }

    private boolean evaluateWindow(
            long requests, long responses, long errors, double concurrent, double processing) {
        now += SECOND;
        DirectionTotals nothing = DirectionTotals.NONE;
        Distribution empty = Distribution.empty();
        return doubt.onWindow(
                new ServiceWindow(
                        "here:80",
                        now / 1_000,
                        1_000_000,
                        new ServiceWindow.Connections(arrivals, 10, 0, 0, 0, 0, 0),
                        new ServiceWindow.Exchanges(requests, responses, errors),
                        new ServiceWindow.Concurrency(concurrent, (long) concurrent, processing),
                        new ServiceWindow.Packets(nothing, nothing, 0, 1_000, 0, 0),
                        new ServiceWindow.Times(empty, empty, empty),
                        null,
                        new ClientPaths(1, 0, roundTrips(), empty)),
                now);
    }

    private Distribution roundTrips() {
        Histogram recorder = Distribution.newRecorder();
        for (int i = 0; i < 20 && roundTripMillis > 0; i++) {
            Distribution.record(recorder, roundTripMillis * 1_000);
        }
        return Distribution.of(recorder);
    }

    private void evaluate(HostSample sample) {
        doubt.onSample(sample, now);
    }

    private static HostSample withParts(int linkDown, List<CardErrors> errors, Long drops) {
        return sample(0, 128, 0, 1L << 30)
                .withParts(new HostParts(
                        1,
                        null,
                        null,
                        List.of(),
                        List.of(),
                        List.of(),
                        List.of(new HostParts.Card(
                                "eth0", null, null, null, linkDown, null, errors)),
                        List.of(),
                        null,
                        1_000_000,
                        List.of(),
                        null,
                        List.of(),
                        List.of(),
                        List.of(),
                        drops));
    }

    @Test
    void brokenParts_raiseDoubt_andSoundOnesDoNot() {
        assertThat(new SamplingTrigger().onSample(withParts(0, List.of(), 9L), 1))
                .isFalse();
        assertThat(new SamplingTrigger().onSample(withParts(1, List.of(), 0L), 1))
                .isTrue();
        assertThat(new SamplingTrigger()
                        .onSample(withParts(0, List.of(new CardErrors("rx_crc_errors", 1)), 0L), 1))
                .isTrue();
        assertThat(new SamplingTrigger().onSample(withParts(0, List.of(), 10L), 1))
                .isTrue();
        assertThat(new SamplingTrigger().onPart("link of eth0 went up or down", 1))
                .isTrue();
    }

    private static HostSample sample(long queue, long limit, double cpuPressure, long available) {
        return sample(queue, limit, cpuPressure, available, "here:80");
    }

    private static HostSample sample(
            long queue, long limit, double cpuPressure, long available, String service) {
        return new HostSample(
                "here",
                0,
                10_000_000,
                new HostSample.Resources(
                        List.of(),
                        new HostSample.Memory(1L << 31, available, available, 0, 0, 0),
                        List.of(),
                        List.of()),
                new HostSample.KernelRates(0, 0, 0, 0, null, 0, 0),
                new HostSample.Network(
                        new HostSample.Sockets(
                                0,
                                0,
                                0,
                                0,
                                0,
                                new HostSample.Sockets.Rates(0, 0, 0, 0, 0, 0),
                                null),
                        List.of(new HostSample.Listener(
                                Endpoint.parse("0.0.0.0:80"), queue, limit, service))),
                new HostSample.Pressure(cpuPressure, 0, 0),
                new HostSample.Totals(1, 1, 0, 0, 0, null),
                List.of(),
                0);
    }
}
