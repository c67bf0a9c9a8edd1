package dev.komainu.agent.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.DirectionTotals;
import dev.komainu.telemetry.record.Distribution;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Given these windows and samples, doubt or none. Time is a number here. */
class SamplingTriggerTest {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final SamplingTrigger doubt = new SamplingTrigger();
    private long now = SECOND;

    @Test
    void steadyTraffic_isNoDoubt() {
        for (int i = 0; i < 600; i++) {
            assertThat(hear(100, 100, 80 + i % 7, 2)).isFalse();
        }
        assertThat(doubt.reason(now)).isNull();
    }

    @Test
    void answersThreeTimesSlower_raiseDoubtInTheThirdWindow() {
        usual();
        assertThat(hear(100, 100, 90, 20)).isFalse();
        assertThat(hear(100, 100, 90, 20)).isFalse();
        assertThat(hear(100, 100, 90, 20)).isTrue();
        assertThat(doubt.reason(now)).contains("here:80").contains("longer than usual");
    }

    @Test
    void noAnswersAtAll_raiseDoubt() {
        usual();
        boolean raised = false;
        for (int i = 0; i < 3; i++) {
            raised |= hear(0, 0, 90, 30);
        }
        assertThat(raised).isTrue();
    }

    @Test
    void limitsSetFromOutside_raiseDoubtByTheirNames() {
        HostSample.ServerProcesses server = new HostSample.ServerProcesses(
                "here:80",
                1,
                1,
                1,
                0.5,
                null,
                null,
                null,
                null,
                null,
                null,
                new HostSample.ControlGroup(0.5, 0.3, 0.1, 100L, 95L, 1.0, 500.0, 0.0, null, null),
                new HostSample.Ports(25_000, 28_232, null),
                null);
        HostSample calm = sample(0, 128, 0, 1L << 30);
        assertThat(NearLimits.of(calm)).isEmpty();
        HostSample near = calm.withServers(List.of(server));
        assertThat(NearLimits.of(near))
                .containsExactly(
                        "CPU quota of here:80", "memory limit of here:80", "ports of here:80");
        see(near);
        assertThat(doubt.reason(now)).isEqualTo("CPU quota of here:80");
    }

    @Test
    void connectionsClimbing_raiseDoubt_whileAFewMoreDoNot() {
        usual();
        assertThat(hear(100, 100, 120, 2)).isFalse();
        boolean raised = false;
        for (int i = 1; i <= 3; i++) {
            raised |= hear(100, 100, 200 + i * 40, 2);
        }
        assertThat(raised).isTrue();
        assertThat(doubt.reason(now)).contains("climb");
    }

    @Test
    void arrivalsAboveProcessed_raiseDoubtWithoutAnythingLearnt() {
        assertThat(hear(100, 60, 90, 2)).isFalse();
        assertThat(hear(100, 60, 90, 2)).isFalse();
        assertThat(hear(100, 60, 90, 2)).isTrue();
    }

    @Test
    void serverErrorsTwiceInARow_raiseDoubt() {
        usual();
        assertThat(failing(9)).isFalse();
        assertThat(failing(9)).isFalse();
        assertThat(failing(10)).isFalse();
        assertThat(failing(10)).isTrue();
        assertThat(doubt.reason(now)).contains("server errors");
    }

    @Test
    void causeGone_doubtEndsThirtySecondsLater() {
        see(sample(600, 511, 0, 1 << 30));
        assertThat(doubt.reason(now)).contains("listen queue of here:80 at 600 of 511");
        now += SamplingTrigger.HOLD_NANOS - 1;
        assertThat(doubt.reason(now)).isNotNull();
        now += 1;
        assertThat(doubt.reason(now)).isNull();
    }

    @Test
    void causeThatStays_isRestedFromLongerEachTime() {
        List<Long> begins = new ArrayList<>();
        int inDoubt = 0;
        for (long minute = 0, second = 0; minute < 24 * 60; minute = ++second / 60) {
            now += SECOND;
            if (doubt.seen(sample(0, 511, 99, 1 << 30), now)) {
                begins.add(minute);
            }
            inDoubt += doubt.reason(now) == null ? 0 : 1;
        }
        // Five minutes each, with rests of 5, 10, 20, 40 minutes and then of an hour.
        assertThat(begins).startsWith(0L, 10L, 25L, 50L, 95L, 160L);
        assertThat(inDoubt).isLessThan(24 * 3_600 / 10);
        assertThat(doubt.spent(now).times()).isEqualTo(begins.size());
        assertThat(doubt.spent(now).seconds()).isBetween(inDoubt - 60L, inDoubt + 60L);
        assertThat(doubt.spent(now).lasting()).containsExactly("tasks wait for CPUs");
    }

    @Test
    void anotherCause_isHeardWhileTheFirstIsKnown() {
        for (int second = 0; second < 3_400; second++) {
            now += SECOND;
            see(sample(0, 511, 99, 1 << 30));
        }
        // Its fourth rest, of 40 minutes, began; the one for all causes is over soon.
        now += SamplingTrigger.REST_NANOS;
        see(sample(0, 511, 99, 1 << 30));
        assertThat(doubt.reason(now)).isNull();
        see(sample(600, 511, 99, 1 << 30));
        assertThat(doubt.reason(now)).contains("listen queue of here:80");
    }

    @Test
    void causeNotHeardInTheStretch_endsTheRest() {
        for (int second = 0; second < 310; second++) {
            now += SECOND;
            see(sample(0, 511, 99, 1 << 30));
        }
        assertThat(doubt.reason(now)).as("resting").isNull();
        see(sample(600, 511, 99, 1 << 30));
        assertThat(doubt.reason(now)).contains("listen queue of here:80");
    }

    @Test
    void causeThatStayedAway_isHeardAsAtFirst() {
        for (int second = 0; second < 3_300; second++) {
            now += SECOND;
            see(sample(0, 511, 99, 1 << 30));
        }
        now += 2 * SamplingTrigger.LONGEST_REST_NANOS;
        long before = now;
        boolean begun = false;
        for (int second = 0; second < 900; second++) {
            now += SECOND;
            begun |= doubt.seen(sample(0, 511, 99, 1 << 30), now)
                    && now - before > SamplingTrigger.MOST_NANOS;
        }
        assertThat(begun).as("again after the first rest of five minutes").isTrue();
    }

    @Test
    void memoryFalling_raisesDoubtBeforeItIsGone() {
        see(sample(0, 511, 0, 900 << 20));
        assertThat(doubt.reason(now)).isNull();
        see(sample(0, 511, 0, 890 << 20));
        assertThat(doubt.reason(now)).isNull();
        // 100 MB in ten seconds: the other 790 MB last 79 s.
        see(sample(0, 511, 0, 790 << 20));
        assertThat(doubt.reason(now)).contains("memory falls fast");
    }

    @Test
    void queueOfAServiceNobodyWatches_isNoDoubt() {
        HostSample other = sample(600, 511, 0, 1 << 30, null);
        assertThat(doubt.seen(other, now)).isFalse();
    }

    private void usual() {
        for (int i = 0; i < 60; i++) {
            assertThat(hear(100, 100, 90, 2)).isFalse();
        }
    }

    private boolean hear(long requests, long responses, double concurrent, double processing) {
        return hear(requests, responses, 0, concurrent, processing);
    }

    /** A window as usual, but for this many server errors among its hundred answers. */
    private boolean failing(long errors) {
        return hear(100, 100, errors, 80, 2);
    }

    private boolean hear(
            long requests, long responses, long errors, double concurrent, double processing) {
        now += SECOND;
        DirectionTotals nothing = DirectionTotals.NONE;
        Distribution empty = Distribution.empty();
        return doubt.heard(
                new ServiceWindow(
                        "here:80",
                        now / 1_000,
                        1_000_000,
                        10,
                        10,
                        0,
                        0,
                        0,
                        0,
                        requests,
                        responses,
                        errors,
                        concurrent,
                        (long) concurrent,
                        processing,
                        nothing,
                        nothing,
                        0,
                        1_000,
                        0,
                        0,
                        empty,
                        empty,
                        empty),
                now);
    }

    private void see(HostSample sample) {
        doubt.seen(sample, now);
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
                List.of(),
                new HostSample.Memory(1L << 31, available, available, 0, 0, 0),
                new HostSample.KernelRates(0, 0, 0, 0, null, 0, 0),
                new HostSample.Sockets(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                new HostSample.Pressure(cpuPressure, 0, 0),
                1,
                1,
                0,
                List.of(),
                List.of(),
                List.of(),
                0,
                0,
                null,
                List.of(new HostSample.Listener(
                        Endpoint.parse("0.0.0.0:80"), queue, limit, service)),
                0);
    }
}
