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
    private final MemberForecasts forecasts = new MemberForecasts(nanos::get);

    private void pass(long millis) {
        nanos.addAndGet(Duration.ofMillis(millis).toNanos());
    }

    private static MemberLoad report(
            long incarnation, long sequence, int inFlight, ServerState state) {
        return new MemberLoad(A, incarnation, 1, sequence, inFlight, 700, 0, 0, state, Map.of());
    }

    @Test
    void inFlight_betweenReports_countsWhatBeganAndEndedHere() {
        forecasts.started(A);
        forecasts.started(A);
        forecasts.reported(report(1, 1, 10, ServerState.UP));
        assertThat(forecasts.of(A).inFlight()).isEqualTo(10);
        forecasts.started(A);
        assertThat(forecasts.of(A).inFlight()).isEqualTo(11);
        forecasts.ended(A, Ending.ANSWERED);
        forecasts.ended(A, Ending.ANSWERED);
        assertThat(forecasts.of(A).inFlight()).isEqualTo(9);
        forecasts.reported(report(1, 2, 0, ServerState.UP));
        assertThat(forecasts.of(A).inFlight()).isEqualTo(1);
    }

    @Test
    void reported_olderThanKnown_changesNothing() {
        forecasts.reported(report(1, 2, 5, ServerState.SATURATED));
        forecasts.reported(report(1, 1, 0, ServerState.UP));
        assertThat(forecasts.of(A).state()).isEqualTo(ServerState.SATURATED);
        forecasts.reported(report(2, 1, 0, ServerState.UP));
        assertThat(forecasts.of(A).state()).isEqualTo(ServerState.UP);
    }

    @Test
    void unreached_restsThenOneTriesAtATime_fourSecondsAtMost() {
        forecasts.started(A);
        forecasts.ended(A, Ending.UNREACHED);
        assertThat(forecasts.of(A).reach()).isEqualTo(Reach.RESTING);
        pass(1000);
        assertThat(forecasts.of(A).reach()).isEqualTo(Reach.DUE);
        forecasts.started(A);
        assertThat(forecasts.of(A).reach()).as("during an attempt").isEqualTo(Reach.RESTING);
        for (int failures = 0; failures < 10; failures++) {
            forecasts.ended(A, Ending.UNREACHED);
            pass(4000);
            assertThat(forecasts.of(A).reach()).isEqualTo(Reach.DUE);
            forecasts.started(A);
        }
        forecasts.ended(A, Ending.ANSWERED);
        assertThat(forecasts.of(A).reach()).isEqualTo(Reach.REACHED);
    }

    @Test
    void reported_newLife_isAskedAtOnce() {
        forecasts.reported(report(1, 1, 0, ServerState.UP));
        forecasts.started(A);
        forecasts.ended(A, Ending.UNREACHED);
        forecasts.reported(report(1, 2, 0, ServerState.UP));
        assertThat(forecasts.of(A).reach()).isEqualTo(Reach.RESTING);
        forecasts.reported(report(2, 1, 0, ServerState.UP));
        assertThat(forecasts.of(A).reach()).isEqualTo(Reach.REACHED);
    }

    @Test
    void measured_fourTimes_isKnown() {
        assertThat(forecasts.measured(A, 90_000))
                .as("the first includes the connection setup")
                .isFalse();
        assertThat(forecasts.measured(A, 400)).isFalse();
        assertThat(forecasts.measured(A, 500)).isFalse();
        assertThat(forecasts.measured(A, 400)).isTrue();
        assertThat(forecasts.measured(A, 400)).isTrue();
    }

    @Test
    void measured_leastOfTheLastFour() {
        forecasts.measured(A, 90_000);
        assertThat(forecasts.of(A).delayMicros()).isEqualTo(90_000);
        forecasts.measured(A, 400);
        assertThat(forecasts.of(A).delayMicros())
                .as("the first one ran uncompiled code")
                .isEqualTo(400);
        forecasts.measured(A, 5_000);
        forecasts.measured(A, 5_000);
        forecasts.measured(A, 5_000);
        assertThat(forecasts.of(A).delayMicros()).isEqualTo(400);
        forecasts.measured(A, 5_000);
        assertThat(forecasts.of(A).delayMicros()).as("the path is longer now").isEqualTo(5_000);
        forecasts.retain(List.of());
        assertThat(forecasts.of(A).delayMicros()).isZero();
    }

    private MemberLoad served(long incarnation, long sequence, long served, ServerState state) {
        return new MemberLoad(A, incarnation, 1, sequence, 0, 700, served, 0, state, Map.of());
    }

    @Test
    void certainty_growsWithAnswers_halvesInTenSeconds() {
        forecasts.reported(served(1, 1, 2, ServerState.UP));
        assertThat(forecasts.of(A).certainty()).isEqualTo(0.25);
        forecasts.reported(served(1, 2, 100, ServerState.UP));
        assertThat(forecasts.of(A).certainty()).isOne();
        pass(10_000);
        forecasts.reported(served(1, 3, 100, ServerState.UP));
        assertThat(forecasts.of(A).certainty()).isCloseTo(0.5, within(1e-6));
        forecasts.reported(served(1, 4, 104, ServerState.UP));
        assertThat(forecasts.of(A).certainty()).isCloseTo(1, within(1e-6));
        forecasts.reported(served(2, 1, 0, ServerState.UP));
        assertThat(forecasts.of(A).certainty()).as("another incarnation").isZero();
    }

    @Test
    void share_ofWhoComesOrIsBack_growsToAllWithinThreeSeconds() {
        assertThat(forecasts.of(A).share()).isCloseTo(0.1, within(1e-6));
        pass(1_500);
        assertThat(forecasts.of(A).share()).isCloseTo(0.55, within(1e-6));
        pass(1_500);
        assertThat(forecasts.of(A).share()).isOne();
        forecasts.reported(served(1, 1, 9, ServerState.UP));
        assertThat(forecasts.of(A).share()).as("known before its first report").isOne();
        forecasts.reported(served(1, 2, 9, ServerState.STOPPED));
        pass(10_000);
        forecasts.reported(served(1, 3, 9, ServerState.UP));
        assertThat(forecasts.of(A).share())
                .as("its server has returned")
                .isCloseTo(0.1, within(1e-6));
        pass(10_000);
        forecasts.reported(served(2, 1, 0, ServerState.UP));
        assertThat(forecasts.of(A).share()).as("its new incarnation").isCloseTo(0.1, within(1e-6));
    }

    @Test
    void share_afterRest_easesIn_afterAStumbleDoesNot() {
        forecasts.started(A);
        pass(5_000);
        forecasts.started(A);
        forecasts.ended(A, Ending.UNREACHED);
        pass(10);
        forecasts.ended(A, Ending.ANSWERED);
        assertThat(forecasts.of(A).share())
                .as("another request was answered at once")
                .isOne();
        forecasts.started(A);
        forecasts.ended(A, Ending.UNREACHED);
        pass(1_000);
        forecasts.started(A);
        forecasts.ended(A, Ending.ANSWERED);
        assertThat(forecasts.of(A).share()).isCloseTo(0.1, within(1e-6));
    }
}
