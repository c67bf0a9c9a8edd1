package dev.komainu.intermediary.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ServerHealthTest {

    private static final HealthSettings SETTINGS = new HealthSettings(
            3,
            Duration.ofSeconds(1),
            Duration.ofSeconds(5),
            "/",
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            2,
            3);

    private final ServerHealth health = new ServerHealth(SETTINGS);

    private static long at(long millis) {
        // Around the clock's overflow, where comparisons of absolute values would fail.
        return Long.MAX_VALUE - 1000 + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private void fail(int times, long millis) {
        for (int i = 0; i < times; i++) {
            health.recordFailure(at(millis));
        }
    }

    @Test
    void checks_switchedOff_bringServersBack_andAreIgnored() {
        for (int i = 0; i < 3; i++) {
            health.recordCheck(false);
        }
        assertThat(health.isUsable(at(0))).isFalse();
        health.reload(HealthSettings.DEFAULT);
        assertThat(health.isUsable(at(0))).isTrue();
        assertThat(health.recordCheck(false)).isFalse();
        assertThat(health.isUsable(at(0))).isTrue();
    }

    @Test
    void failures_fewerThanTheBound_changeNothing() {
        fail(2, 0);
        assertThat(health.isUsable(at(0))).isTrue();
        health.recordSuccess();
        fail(2, 0);
        assertThat(health.isUsable(at(0))).isTrue();
    }

    @Test
    void failures_asManyAsTheBound_ejectForTheBaseTime() {
        fail(3, 0);
        assertThat(health.isUsable(at(999))).isFalse();
        assertThat(health.isUsable(at(1000))).isTrue();
    }

    @Test
    void failure_afterTheTime_ejectsAtOnceForTwiceAsLongUpToTheMost() {
        fail(3, 0);
        fail(1, 1000);
        assertThat(health.isUsable(at(2999))).isFalse();
        assertThat(health.isUsable(at(3000))).isTrue();
        fail(1, 3000);
        assertThat(health.isUsable(at(6999))).isFalse();
        fail(1, 7000);
        assertThat(health.isUsable(at(11_999))).isFalse();
        assertThat(health.isUsable(at(12_000))).isTrue();
    }

    @Test
    void manyFailures_ofConcurrentRequests_areOneEjection() {
        fail(100, 0);
        assertThat(health.isUsable(at(1000))).isTrue();
    }

    @Test
    void success_afterEjection_beginsAnew() {
        fail(3, 0);
        health.recordSuccess();
        assertThat(health.isUsable(at(1))).isTrue();
        fail(3, 10);
        assertThat(health.isUsable(at(1010))).isTrue();
    }

    @Test
    void checks_takeOutAfterFall_andBringBackAfterRise() {
        assertThat(health.recordCheck(false)).isFalse();
        assertThat(health.recordCheck(false)).isFalse();
        assertThat(health.recordCheck(false)).isTrue();
        assertThat(health.isUsable(at(0))).isFalse();
        assertThat(health.recordCheck(true)).isFalse();
        assertThat(health.recordCheck(true)).isTrue();
        assertThat(health.isUsable(at(0))).isTrue();
    }
}
