package dev.komainu.organizer.line.http2;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.line.connection.SendScheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class AdaptiveReceiveWindowTest {

    private static final int MOST = 16 << 20;
    private static final long TRIP = TimeUnit.MILLISECONDS.toNanos(200);

    private final AdaptiveReceiveWindow window = new AdaptiveReceiveWindow(MOST, 0);
    private long now = 1;

    /** A round in which this share of the window for bodies came, and whose ping took this time. */
    private void round(double share, long trip) {
        long begun = now;
        assertThat(window.received(begun, 1)).isTrue();
        window.received(begun, (int) ((window.bytes() - SendScheduler.RESERVED) * share));
        now += trip;
        window.answered(begun, now);
    }

    @Test
    void whatIsUsedUp_growsByThreeTenthsEachRound_upToWhatSettingsAllow() {
        for (double expected = AdaptiveReceiveWindow.LEAST; expected < MOST; expected *= 1.3) {
            assertThat(window.bytes()).isEqualTo((int) expected);
            round(0.75, TRIP);
        }
        round(0.75, TRIP);
        assertThat(window.bytes()).isEqualTo(MOST);
    }

    @Test
    void whatIsNotUsedUp_stays() {
        round(0.75, TRIP);
        int before = window.bytes();
        for (int i = 0; i < 100; i++) {
            round(0.6, TRIP);
        }
        assertThat(window.bytes()).isEqualTo(before);
    }

    @Test
    void aQueueInSight_stopsIt_andALongOneShrinksIt() {
        for (int i = 0; i < 10; i++) {
            round(0.75, TRIP);
        }
        int before = window.bytes();
        round(0.75, TRIP * 110 / 100);
        assertThat(window.bytes()).isEqualTo(before);
        round(0.75, TRIP * 3 / 2);
        assertThat(window.bytes()).isCloseTo((int) (before * 230.0 / 300), Offset.offset(1));
        int less = window.bytes();
        round(0.75, TRIP);
        assertThat(window.bytes())
                .as("slowly from now on")
                .isCloseTo(less * 17 / 16, Offset.offset(1));
    }

    @Test
    void whatIsHardlyUsed_fallsToItsLeast_andGrowsFastAgain() {
        for (int i = 0; i < 10; i++) {
            round(0.75, TRIP);
        }
        round(0.75, TRIP * 3 / 2);
        for (int i = 0; i < 100; i++) {
            round(0.01, TRIP);
        }
        assertThat(window.bytes()).isEqualTo(AdaptiveReceiveWindow.LEAST);
        round(0.75, TRIP);
        assertThat(window.bytes()).isEqualTo((int) (AdaptiveReceiveWindow.LEAST * 1.3));
    }

    @Test
    void aPathThatBecameLonger_isNoQueueForever() {
        round(0.75, TRIP);
        for (int i = 0; i < 400; i++) {
            round(0.75, 2 * TRIP);
        }
        assertThat(window.bytes()).isEqualTo(MOST);
    }

    @Test
    void roundsDoNotOverlap_norFollowWithinTenMillis_andOthersPingsTellNothing() {
        assertThat(window.received(1, 1)).isTrue();
        assertThat(window.received(2, 60_000)).isFalse();
        assertThat(window.answered(7, 8)).isZero();
        assertThat(window.answered(1, 9)).isPositive();
        assertThat(window.answered(1, 10)).as("twice").isZero();
        assertThat(window.received(9_000_000, 1)).isFalse();
        assertThat(window.received(11_000_000, 1)).isTrue();
    }

    @Test
    void fourOnOnePath_fillIt_andItsQueueNever() {
        long path = 2_500_000; // 100 Mbit/s over 200 ms
        long queue = 1_000_000;
        List<AdaptiveReceiveWindow> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            all.add(new AdaptiveReceiveWindow(MOST, 0));
        }
        for (int round = 0; round < 500; round++) {
            long begun = now;
            long total = 0;
            for (AdaptiveReceiveWindow each : all) {
                int sent = each.bytes() - SendScheduler.RESERVED;
                total += sent;
                assertThat(each.received(begun, 0)).isTrue();
                each.received(begun, sent);
            }
            assertThat(total).isLessThanOrEqualTo(path + queue);
            if (round > 15) {
                assertThat(total).isGreaterThan(path * 95 / 100);
            }
            now += TRIP * Math.max(path, total) / path;
            for (AdaptiveReceiveWindow each : all) {
                each.answered(begun, now);
            }
        }
    }
}
