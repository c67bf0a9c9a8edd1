package dev.komainu.organizer.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.organizer.route.MemberForecast.Reach;
import dev.komainu.organizer.route.MemberForecasts.Ending;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MemberForecastsTest {

    private static final MemberId A = new MemberId("a");

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000_000_000);
    private final MemberForecasts outlooks = new MemberForecasts(nanos::get);

    private void pass(long millis) {
        nanos.addAndGet(Duration.ofMillis(millis).toNanos());
    }

    private static MemberLoad report(
            long incarnation, long sequence, int inFlight, ServerState state) {
        return new MemberLoad(A, incarnation, 1, sequence, inFlight, 700, 0, 0, state, Map.of());
    }

    @Test
    void inFlight_betweenReports_countsWhatBeganAndEndedHere() {
        outlooks.began(A);
        outlooks.began(A);
        outlooks.reported(report(1, 1, 10, ServerState.UP));
        assertThat(outlooks.of(A).inFlight()).isEqualTo(10);
        outlooks.began(A);
        assertThat(outlooks.of(A).inFlight()).isEqualTo(11);
        outlooks.ended(A, Ending.ANSWERED);
        outlooks.ended(A, Ending.ANSWERED);
        assertThat(outlooks.of(A).inFlight()).isEqualTo(9);
        outlooks.reported(report(1, 2, 0, ServerState.UP));
        assertThat(outlooks.of(A).inFlight()).isEqualTo(1);
    }

    @Test
    void reported_olderThanKnown_changesNothing() {
        outlooks.reported(report(1, 2, 5, ServerState.SATURATED));
        outlooks.reported(report(1, 1, 0, ServerState.UP));
        assertThat(outlooks.of(A).state()).isEqualTo(ServerState.SATURATED);
        outlooks.reported(report(2, 1, 0, ServerState.UP));
        assertThat(outlooks.of(A).state()).isEqualTo(ServerState.UP);
    }

    @Test
    void unreached_restsThenOneTriesAtATime_fourSecondsAtMost() {
        outlooks.began(A);
        outlooks.ended(A, Ending.UNREACHED);
        assertThat(outlooks.of(A).reach()).isEqualTo(Reach.RESTING);
        pass(1000);
        assertThat(outlooks.of(A).reach()).isEqualTo(Reach.DUE);
        outlooks.began(A);
        assertThat(outlooks.of(A).reach()).as("while one tries").isEqualTo(Reach.RESTING);
        for (int failures = 0; failures < 10; failures++) {
            outlooks.ended(A, Ending.UNREACHED);
            pass(4000);
            assertThat(outlooks.of(A).reach()).isEqualTo(Reach.DUE);
            outlooks.began(A);
        }
        outlooks.ended(A, Ending.ANSWERED);
        assertThat(outlooks.of(A).reach()).isEqualTo(Reach.REACHED);
    }

    @Test
    void reported_newLife_isAskedAtOnce() {
        outlooks.reported(report(1, 1, 0, ServerState.UP));
        outlooks.began(A);
        outlooks.ended(A, Ending.UNREACHED);
        outlooks.reported(report(1, 2, 0, ServerState.UP));
        assertThat(outlooks.of(A).reach()).isEqualTo(Reach.RESTING);
        outlooks.reported(report(2, 1, 0, ServerState.UP));
        assertThat(outlooks.of(A).reach()).isEqualTo(Reach.REACHED);
    }

    @Test
    void measured_fourTimes_isKnown() {
        assertThat(outlooks.measured(A, 90_000))
                .as("the first has connecting in it")
                .isFalse();
        assertThat(outlooks.measured(A, 400)).isFalse();
        assertThat(outlooks.measured(A, 500)).isFalse();
        assertThat(outlooks.measured(A, 400)).isTrue();
        assertThat(outlooks.measured(A, 400)).isTrue();
    }

    @Test
    void measured_leastOfTheLastFour() {
        outlooks.measured(A, 90_000);
        assertThat(outlooks.of(A).delayMicros()).isEqualTo(90_000);
        outlooks.measured(A, 400);
        assertThat(outlooks.of(A).delayMicros())
                .as("the first one's code was cold")
                .isEqualTo(400);
        outlooks.measured(A, 5_000);
        outlooks.measured(A, 5_000);
        outlooks.measured(A, 5_000);
        assertThat(outlooks.of(A).delayMicros()).isEqualTo(400);
        outlooks.measured(A, 5_000);
        assertThat(outlooks.of(A).delayMicros()).as("the way is longer now").isEqualTo(5_000);
        outlooks.keep(List.of());
        assertThat(outlooks.of(A).delayMicros()).isZero();
    }

    private MemberLoad served(long incarnation, long sequence, long served, ServerState state) {
        return new MemberLoad(A, incarnation, 1, sequence, 0, 700, served, 0, state, Map.of());
    }

    @Test
    void certainty_growsWithAnswers_halvesInTenSeconds() {
        outlooks.reported(served(1, 1, 2, ServerState.UP));
        assertThat(outlooks.of(A).certainty()).isEqualTo(0.25);
        outlooks.reported(served(1, 2, 100, ServerState.UP));
        assertThat(outlooks.of(A).certainty()).isOne();
        pass(10_000);
        outlooks.reported(served(1, 3, 100, ServerState.UP));
        assertThat(outlooks.of(A).certainty()).isCloseTo(0.5, within(1e-6));
        outlooks.reported(served(1, 4, 104, ServerState.UP));
        assertThat(outlooks.of(A).certainty()).isCloseTo(1, within(1e-6));
        outlooks.reported(served(2, 1, 0, ServerState.UP));
        assertThat(outlooks.of(A).certainty()).as("another life").isZero();
    }

    @Test
    void share_ofWhoComesOrIsBack_growsToAllWithinThreeSeconds() {
        assertThat(outlooks.of(A).share()).isCloseTo(0.1, within(1e-6));
        pass(1_500);
        assertThat(outlooks.of(A).share()).isCloseTo(0.55, within(1e-6));
        pass(1_500);
        assertThat(outlooks.of(A).share()).isOne();
        outlooks.reported(served(1, 1, 9, ServerState.UP));
        assertThat(outlooks.of(A).share()).as("known before it said anything").isOne();
        outlooks.reported(served(1, 2, 9, ServerState.STOPPED));
        pass(10_000);
        outlooks.reported(served(1, 3, 9, ServerState.UP));
        assertThat(outlooks.of(A).share()).as("its server is back").isCloseTo(0.1, within(1e-6));
        pass(10_000);
        outlooks.reported(served(2, 1, 0, ServerState.UP));
        assertThat(outlooks.of(A).share()).as("its new life").isCloseTo(0.1, within(1e-6));
    }

    @Test
    void share_afterRest_easesIn_afterAStumbleDoesNot() {
        outlooks.began(A);
        pass(5_000);
        outlooks.began(A);
        outlooks.ended(A, Ending.UNREACHED);
        pass(10);
        outlooks.ended(A, Ending.ANSWERED);
        assertThat(outlooks.of(A).share())
                .as("another request was answered at once")
                .isOne();
        outlooks.began(A);
        outlooks.ended(A, Ending.UNREACHED);
        pass(1_000);
        outlooks.began(A);
        outlooks.ended(A, Ending.ANSWERED);
        assertThat(outlooks.of(A).share()).isCloseTo(0.1, within(1e-6));
    }
}
