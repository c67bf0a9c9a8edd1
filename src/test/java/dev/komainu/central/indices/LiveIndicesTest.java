package dev.komainu.central.indices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.central.fleet.ServerLimits;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the rings remember, and what they leave out. */
class LiveIndicesTest {

    private static final String ID = "web-01:80";
    private static final long S = 1_763_683_200L;

    private final LiveIndices live = new LiveIndices(new IndexCatalogue());

    @Test
    void accept_twoProbesOnOneServer_neverCountTwice() {
        for (long second = S; second < S + 10; second++) {
            live.accept("agent@a", ID, Told.packets(ID, second, Map.of("rps", 10.0)), second * 1_000);
            live.accept("agent@b", ID, Told.packets(ID, second, Map.of("rps", 10.0)), second * 1_000 + 200);
        }

        assertThat(at(S + 9).now("arrivalPerSecond", 10)).isEqualTo(10);
        assertThat(live.speaker(ID)).isEqualTo("agent@a");
    }

    @Test
    void accept_speakerSilent_theOtherTakesOverAfterFiveSeconds() {
        live.accept("agent@a", ID, Told.packets(ID, S, Map.of("rps", 10.0)), S * 1_000);
        for (long second = S + 1; second <= S + 8; second++) {
            live.accept("agent@b", ID, Told.packets(ID, second, Map.of("rps", 20.0)), second * 1_000);
        }

        assertThat(live.speaker(ID)).isEqualTo("agent@b");
        assertThat(at(S + 3).now("arrivalPerSecond", 1)).isNaN();
        assertThat(at(S + 8).now("arrivalPerSecond", 1)).isEqualTo(20);
    }

    @Test
    void accept_takenOverSecondsAlreadyTold_areNotToldAgain() {
        live.accept("agent@a", ID, Told.packets(ID, S, Map.of("rps", 10.0)), S * 1_000);

        boolean taken = live.accept("agent@b", ID, Told.packets(ID, S, Map.of("rps", 99.0)), (S + 60) * 1_000);

        assertThat(taken).isFalse();
        assertThat(at(S).now("arrivalPerSecond", 1)).isEqualTo(10);
    }

    @Test
    void at_missingSecond_isAGapAndNotZero() {
        live.accept("agent@a", ID, Told.packets(ID, S, Map.of("rps", 0.0)), S * 1_000);
        live.accept("agent@a", ID, Told.packets(ID, S + 2, Map.of("rps", 30.0)), (S + 2) * 1_000);

        MeasurementView view = at(S + 2);
        assertThat(view.sparkline("arrivalPerSecond", 3)).containsExactly(0.0, null, 30.0);
        assertThat(view.now("arrivalPerSecond", 3)).isEqualTo(15);
        assertThat(view.read("arrivalPerSecond", 3).present()).isEqualTo(2);
    }

    @Test
    void at_percentileOverAWindow_isOfAllAnswersAndNoMeanOfPercentiles() {
        live.accept("agent@a", ID, Told.packets(ID, S, Map.of("rps", 50.0, "ms", 10.0)), S * 1_000);
        live.accept("agent@a", ID, Told.packets(ID, S + 1, Map.of("rps", 5.0, "ms", 1_000.0)), (S + 1) * 1_000);

        assertThat(at(S + 1).now("responseP50Millis", 2)).isCloseTo(10, within(1.5));
        assertThat(at(S + 1).now("responseP99Millis", 2)).isGreaterThan(900);
    }

    @Test
    void hostSample_speaksOfTheSecondsBeforeIt_andHoldsUntilTheNextIsOverdue() {
        live.accept("agent@a", Told.host("web-01", ID, S + 10, Map.of("idle", 0.3)));

        assertThat(at(S).at("hostCpuIdleShare", S, 1)).isEqualTo(0.3);
        assertThat(at(S).at("hostCpuIdleShare", S - 1, 1)).isNaN();
        assertThat(at(S).at("hostCpuIdleShare", S + 20, 1)).isEqualTo(0.3);
        assertThat(at(S).at("hostCpuIdleShare", S + 40, 1)).isNaN();
    }

    @Test
    void hostSample_serverNoLongerListedBySameAgent_hasNoProcess_untilListedAgain() {
        live.accept("agent@a", Told.host("web-01", ID, S + 10, Map.of()));
        live.accept("agent@b", Told.host("web-01", ID, S + 15, Map.of("processes", 0.0)));
        assertThat(at(S + 14).now("serverProcesses", 1)).isEqualTo(5);

        live.accept("agent@a", Told.host("web-01", ID, S + 20, Map.of("processes", 0.0)));
        live.accept("agent@a", Told.host("web-01", ID, S + 30, Map.of("processes", 0.0)));
        assertThat(at(S + 29).now("serverProcesses", 1)).isEqualTo(0);

        live.accept("agent@a", Told.host("web-01", ID, S + 40, Map.of()));
        assertThat(at(S + 39).now("serverProcesses", 1)).isEqualTo(5);
    }

    @Test
    void proxy_ownCounters_standBesideItsPackets() {
        live.accept("agent@a", ID, Told.packets(ID, S, Map.of("rps", 90.0, "concurrent", 40.0)), S * 1_000);
        live.accept(ID, Told.proxy(ID, S, Map.of("rps", 100.0, "hits", 60.0)));

        MeasurementView view = at(S);
        assertThat(view.now("arrivalPerSecond", 1)).isEqualTo(100);
        assertThat(view.now("hitRatio", 1)).isEqualTo(0.6);
        assertThat(view.now("concurrentMean", 1)).isEqualTo(40);
    }

    private MeasurementView at(long second) {
        return live.view(ID, "web-01", ServerLimits.UNKNOWN, second);
    }
}
