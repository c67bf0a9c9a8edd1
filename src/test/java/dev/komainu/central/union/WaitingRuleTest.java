package dev.komainu.central.union;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WaitingRuleTest {

    private static final long SECOND = 1_000;
    /** Instant at which a second is usually reported. */
    private static final long ARRIVED = (SECOND + 1) * 1_000 + 300;

    private final WaitingRule rule = new WaitingRule();
    private final ReportingSource prompt = new ReportingSource("prompt", 0);
    private final ReportingSource slow = new ReportingSource("slow", 1);
    private final List<ReportingSource> both = List.of(prompt, slow);

    WaitingRuleTest() {
        slow.report(SECOND - 1, "s", false, ARRIVED - 1_000);
    }

    private WaitingRule.Arrival reported(long second, long millis) {
        WaitingRule.Arrival arrival = rule.reported(millis);
        report(prompt, second, SeenTraffic.SERVICE, arrival);
        return arrival;
    }

    private static void report(
            ReportingSource source, long second, String name, WaitingRule.Arrival arrival) {
        source.report(second, name, false, arrival.millis());
        source.at(second)
                .add(
                        new SeenTraffic()
                                .reports(talk -> true, 0, (int) second, 1)
                                .get(second)
                                .window(),
                        arrival,
                        false);
    }

    /** Reports one more second a second, from after the arrival until some time later. */
    private void keepReporting(long arrived, long millis) {
        for (long later = 1_000; later <= millis; later += 1_000) {
            reported(SECOND + later / 1_000, arrived + later);
        }
    }

    @Test
    void secondThatEachSourceHasPassed_isDueAtOnce() {
        WaitingRule.Arrival arrival = reported(SECOND, ARRIVED);
        slow.report(SECOND + 1, "s", false, ARRIVED);

        assertThat(rule.isDue(SECOND, arrival, both, ARRIVED)).isTrue();
    }

    @Test
    void secondOfThePresent_waitsSevenSeconds_whileAnotherSourceReports() {
        WaitingRule.Arrival arrival = reported(SECOND, ARRIVED);
        keepReporting(ARRIVED, 6_000);
        assertThat(rule.isDue(SECOND, arrival, both, ARRIVED + 6_999)).isFalse();

        reported(SECOND + 7, ARRIVED + 7_000);

        assertThat(rule.isDue(SECOND, arrival, both, ARRIVED + 7_000)).isTrue();
        assertThat(rule.isGivenUp("slow")).isTrue();
        assertThat(rule.isGivenUp("prompt")).isFalse();
    }

    @Test
    void sourceThatIsGivenUp_delaysNoLaterSecond_untilItIsInTimeAgain() {
        WaitingRule.Arrival arrival = reported(SECOND, ARRIVED);
        keepReporting(ARRIVED, 7_000);
        assertThat(rule.isDue(SECOND, arrival, both, ARRIVED + 7_000)).isTrue();

        WaitingRule.Arrival next = reported(SECOND + 8, ARRIVED + 8_000);
        assertThat(rule.isDue(SECOND + 8, next, both, ARRIVED + 8_000)).isTrue();
        rule.await("slow");
        assertThat(rule.isDue(SECOND + 8, next, both, ARRIVED + 8_000)).isFalse();
    }

    @Test
    void secondOfABacklog_waitsThirtySeconds() {
        long arrived = ARRIVED + 60_000;
        WaitingRule.Arrival arrival = reported(SECOND, arrived);
        keepReporting(arrived, 29_000);
        assertThat(rule.isDue(SECOND, arrival, both, arrived + 29_999)).isFalse();

        reported(SECOND + 30, arrived + 30_000);

        assertThat(rule.isDue(SECOND, arrival, both, arrived + 30_000)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {5_000, 20_000, 500_000})
    void timeInWhichTheCentralServiceStoodStill_isNotWaited(long stillMillis) {
        WaitingRule.Arrival arrival = reported(SECOND, ARRIVED);

        // The reports of the prompt source are read first, all at once.
        for (long second = SECOND + 1; second < SECOND + 20; second++) {
            reported(second, ARRIVED + stillMillis);
        }

        assertThat(rule.isDue(SECOND, arrival, both, ARRIVED + stillMillis)).isFalse();
        assertThat(rule.isGivenUp("slow")).isFalse();
    }

    @Test
    void allSourcesSilent_secondWaitsThirtySeconds_andNoSourceIsGivenUp() {
        WaitingRule.Arrival arrival = reported(SECOND, ARRIVED);

        assertThat(rule.isDue(SECOND, arrival, both, ARRIVED + 29_999)).isFalse();
        assertThat(rule.isDue(SECOND, arrival, both, ARRIVED + 30_000)).isTrue();
        assertThat(rule.isGivenUp("slow")).isFalse();
    }

    @Test
    void sourceThatReportsByTwoNames_isWaitedForUntilBothHaveArrived() {
        WaitingRule.Arrival arrival = reported(SECOND, ARRIVED);
        slow.report(SECOND - 1, "other", false, ARRIVED);
        report(slow, SECOND, SeenTraffic.SERVICE, arrival);
        assertThat(slow.allNames()).contains("other", SeenTraffic.SERVICE);

        assertThat(rule.isDue(SECOND, arrival, List.of(slow), ARRIVED)).isFalse();
    }

    @Test
    void clockThatIsSetBack_doesNotEndTheWait() {
        WaitingRule.Arrival arrival = reported(SECOND, ARRIVED);
        reported(SECOND + 1, ARRIVED - 3_600_000);

        assertThat(rule.isDue(SECOND, arrival, both, ARRIVED - 3_600_000)).isFalse();
        keepReporting(ARRIVED - 3_600_000, 7_000);
        assertThat(rule.isDue(SECOND, arrival, both, ARRIVED - 3_590_000)).isTrue();
    }
}
