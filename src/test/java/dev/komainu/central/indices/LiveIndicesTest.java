package dev.komainu.central.indices;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.central.fleet.OriginSide;
import dev.komainu.central.fleet.ServerLimits;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

/** Tests of the contents of the rings, and of the reports that they leave out. */
class LiveIndicesTest {

    private static final String ID = "web-01:80";
    private static final String NODE = "web-01";
    private static final long S = 1_763_683_200L;

    private final LiveIndices live = new LiveIndices(new IndexCatalogue());

    @Test
    void accept_twoProbesOnOneServer_neverCountTwice() {
        for (long second = S; second < S + 10; second++) {
            live.accept(
                    "agent@a", ID, Told.packets(ID, second, Map.of("rps", 10.0)), second * 1_000);
            live.accept(
                    "agent@b",
                    ID,
                    Told.packets(ID, second, Map.of("rps", 10.0)),
                    second * 1_000 + 200);
        }

        assertThat(at(S + 9).now("arrivalPerSecond", 10)).isEqualTo(10);
        assertThat(live.electedSource(ID)).isEqualTo("agent@a");
    }

    /** Reports seconds from every kind of source, so that every ring is filled. */
    private void reportAll(long from, long to, double millis) {
        for (long second = from; second <= to; second++) {
            live.accept(
                    "agent@a",
                    ID,
                    Told.packets(
                            ID,
                            second,
                            Map.of(
                                    "rps",
                                    40.0,
                                    "ms",
                                    millis,
                                    "thinkMs",
                                    millis,
                                    "rttMs",
                                    millis / 2)),
                    second * 1_000);
            live.accept(
                    ID,
                    Told.proxy(
                            ID, second, Map.of("rps", 40.0, "originMs", millis, "peakMs", millis)));
            if (second % 10 == 0) {
                live.accept(ID, Told.log(ID, second, millis, 50));
                live.accept("agent@a", Told.host(NODE, ID, second, Map.of("serverFaults", millis)));
            }
        }
    }

    private List<String> seen(long second) {
        MeasurementView view = live.view(ID, NODE, ServerLimits.UNKNOWN, second);
        return new IndexCatalogue()
                .all().stream()
                        .map(IndexDefinition::name)
                        .filter(name -> !Double.isNaN(view.now(name, 1)))
                        .toList();
    }

    @Test
    void clearAfter_everySource_hasNoLaterSeconds_andAcceptsThemAgain() {
        reportAll(S, S + 200, 30);
        List<String> before = seen(S + 200);
        assertThat(before)
                .contains(
                        "arrivalPerSecond",
                        "responseP50Millis",
                        "transferP50Millis",
                        "hitRatio",
                        "originResponseP50Millis",
                        "logConcurrentMean",
                        "logDurationP50Millis",
                        "thinkP50Millis",
                        "hostCpuUserShare");

        live.clearAfter(S + 19);

        assertThat(seen(S + 200)).isEmpty();
        assertThat(live.newestSecond(ID)).isEqualTo(S + 19);
        assertThat(live.newestPackets(ID)).isEqualTo(S + 19);
        assertThat(live.newestSample(NODE)).isNull();
        assertThat(seen(S + 19)).contains("arrivalPerSecond", "responseP50Millis", "hitRatio");

        reportAll(S + 20, S + 200, 80);

        assertThat(seen(S + 200)).containsExactlyElementsOf(before);
        assertThat(at(S + 200).now("responseP50Millis", 1)).isCloseTo(80, within(20.0));
        assertThat(live.newestSample(NODE)).isNotNull();
    }

    @Test
    void clearAfter_twoProbes_electionContinues() {
        reportBoth(S, S + 30, 10, 20);
        live.clearAfter(S - 3_600);

        long again = S - 3_600;
        reportBoth(again + 1, again + 10, 30, 40);
        assertThat(live.newestPackets(ID)).isEqualTo(again + 10);
        for (long second = again + 11; second <= again + 20; second++) {
            live.accept(
                    "agent@b", ID, Told.packets(ID, second, Map.of("rps", 40.0)), second * 1_000);
        }

        assertThat(live.electedSource(ID)).isEqualTo("agent@b");
        assertThat(live.newestPackets(ID)).isEqualTo(again + 20);
        assertThat(at(again + 20).sparkline("arrivalPerSecond", 12))
                .containsExactly(
                        30.0, 40.0, 40.0, 40.0, 40.0, 40.0, 40.0, 40.0, 40.0, 40.0, 40.0, 40.0);
    }

    private void reportBoth(long from, long to, double first, double other) {
        for (long second = from; second <= to; second++) {
            live.accept(
                    "agent@a", ID, Told.packets(ID, second, Map.of("rps", first)), second * 1_000);
            live.accept(
                    "agent@b",
                    ID,
                    Told.packets(ID, second, Map.of("rps", other)),
                    second * 1_000 + 200);
        }
    }

    @Test
    void accept_electedSourceSilent_theOtherTakesOverAndFillsWhatIsMissing() {
        live.accept("agent@a", ID, Told.packets(ID, S, Map.of("rps", 10.0)), S * 1_000);
        for (long second = S; second <= S + 3; second++) {
            live.accept(
                    "agent@b", ID, Told.packets(ID, second, Map.of("rps", 20.0)), second * 1_000);
        }
        assertThat(live.electedSource(ID)).isEqualTo("agent@a");
        assertThat(at(S + 3).now("arrivalPerSecond", 1)).isNaN();

        live.accept("agent@b", ID, Told.packets(ID, S + 4, Map.of("rps", 20.0)), (S + 4) * 1_000);

        assertThat(live.electedSource(ID)).isEqualTo("agent@b");
        assertThat(at(S + 4).sparkline("arrivalPerSecond", 4))
                .containsExactly(20.0, 20.0, 20.0, 20.0);
    }

    @Test
    void accept_electedSourceLosesPackets_theCleanOneTakesOverAndItsSecondsReplaceThem() {
        for (long second = S; second < S + 10; second++) {
            boolean lossy = second >= S + 5;
            live.accept(
                    "agent@a",
                    ID,
                    lossy(Told.packets(ID, second, Map.of("rps", 7.0)), lossy),
                    second * 1_000);
            live.accept(
                    "agent@b",
                    ID,
                    Told.packets(ID, second, Map.of("rps", 10.0)),
                    second * 1_000 + 100);
        }

        assertThat(live.electedSource(ID)).isEqualTo("agent@b");
        assertThat(at(S + 9).sparkline("arrivalPerSecond", 10))
                .containsExactly(7.0, 7.0, 7.0, 7.0, 7.0, 10.0, 10.0, 10.0, 10.0, 10.0);
    }

    @Test
    void accept_agentBesideTheServerReturns_isElectedAfterThreeSeconds() {
        live.accept(
                "agent@mirror", ID, Told.packets("10.0.0.1:80", S, Map.of("rps", 10.0)), S * 1_000);
        for (long second = S + 1; second <= S + 4; second++) {
            live.accept(
                    "agent@mirror",
                    ID,
                    Told.packets("10.0.0.1:80", second, Map.of("rps", 10.0)),
                    second * 1_000);
            live.accept(
                    "agent@web-01",
                    ID,
                    Told.packets(ID, second, Map.of("rps", 12.0)),
                    second * 1_000 + 100);
        }

        assertThat(live.electedSource(ID)).isEqualTo("agent@web-01");
        assertThat(at(S + 4).sparkline("arrivalPerSecond", 5))
                .containsExactly(10.0, 10.0, 10.0, 10.0, 12.0);
    }

    @Test
    void accept_oneServerAtTwoAddressesFromElsewhere_isSummed() {
        for (long second = S; second < S + 3; second++) {
            live.accept(
                    "agent@m",
                    ID,
                    Told.packets("10.0.0.1:80", second, Map.of("rps", 10.0)),
                    second * 1_000);
            live.accept(
                    "agent@m",
                    ID,
                    Told.packets("[fd00::1]:80", second, Map.of("rps", 5.0)),
                    second * 1_000);
        }

        assertThat(at(S + 2).now("arrivalPerSecond", 3)).isEqualTo(15);
    }

    @Test
    void accept_electedSourceLeavesASecondOut_theOtherReportIsUsed() {
        for (long second = S; second < S + 8; second++) {
            live.accept(
                    "agent@b",
                    ID,
                    Told.packets(ID, second, Map.of("rps", 9.0)),
                    second * 1_000 - 1);
            if (second == S) {
                live.accept(
                        "agent@a",
                        ID,
                        Told.packets(ID, second - 1, Map.of("rps", 10.0)),
                        second * 1_000 - 900);
            }
        }
        assertThat(live.electedSource(ID)).isEqualTo("agent@b");
        for (long second = S + 8; second < S + 16; second++) {
            if (second != S + 10) {
                live.accept(
                        "agent@b",
                        ID,
                        Told.packets(ID, second, Map.of("rps", 9.0)),
                        second * 1_000);
            }
            live.accept(
                    "agent@a", ID, Told.packets(ID, second, Map.of("rps", 10.0)), second * 1_000);
        }
        assertThat(live.electedSource(ID)).isEqualTo("agent@b");
        // The elected source may have observed only a part of the second after its pause.
        assertThat(at(S + 12).sparkline("arrivalPerSecond", 5))
                .containsExactly(9.0, 9.0, 10.0, 10.0, 9.0);
    }

    @Test
    void accept_electedSourceRestarted_itsFirstSecondComesFromTheCompleteReport() {
        for (long second = S; second < S + 12; second++) {
            boolean away = second == S + 4 || second == S + 5;
            if (!away) {
                double seen = second == S + 6 ? 3 : 10;
                live.accept(
                        "agent@a",
                        ID,
                        Told.packets(ID, second, Map.of("rps", seen)),
                        second * 1_000);
            }
            live.accept(
                    "agent@b",
                    ID,
                    Told.packets(ID, second, Map.of("rps", 10.0)),
                    second * 1_000 + 100);
        }

        assertThat(live.electedSource(ID)).isEqualTo("agent@a");
        assertThat(at(S + 11).sparkline("arrivalPerSecond", 12)).containsOnly(10.0);
    }

    /**
     * A killed agent is back before the second is over: it leaves out no second, and marks one as
     * partial.
     */
    @Test
    void accept_electedSourceBackWithinTheSecond_itComesFromTheCompleteReport() {
        for (long second = S; second < S + 12; second++) {
            ServiceWindow window =
                    Told.packets(ID, second, Map.of("rps", second == S + 4 ? 3.0 : 10.0));
            live.accept(
                    "agent@a",
                    ID,
                    second == S + 4 ? window.since(second * 1_000_000 + 600_000) : window,
                    second * 1_000);
            live.accept(
                    "agent@b",
                    ID,
                    Told.packets(ID, second, Map.of("rps", 10.0)),
                    second * 1_000 + 100);
        }

        assertThat(live.electedSource(ID)).isEqualTo("agent@a");
        assertThat(at(S + 11).sparkline("arrivalPerSecond", 12)).containsOnly(10.0);
    }

    @Test
    void accept_onlyAPartialReportOfASecond_isUsed_withoutARate() {
        live.accept(
                "agent@a",
                ID,
                Told.packets(ID, S, Map.of("rps", 3.0)).since(S * 1_000_000 + 999_000),
                S * 1_000);

        assertThat(at(S).now("arrivalPerSecond", 1)).isEqualTo(3);
    }

    /** Two probes with random losses: each second counts exactly once. */
    @Property(tries = 300)
    void accept_randomLosses_everyReportedSecondCountsOnce(@ForAll long seed) {
        LiveIndices indices = new LiveIndices(new IndexCatalogue());
        Random random = new Random(seed);
        String[] sources = {"agent@a", "agent@b"};
        boolean[] alive = {true, true};
        int length = 120;
        List<List<Long>> waiting = List.of(new ArrayList<>(), new ArrayList<>());
        BitSet reported = new BitSet();
        for (int now = 0; now < length; now++) {
            for (int i = 0; i < 2; i++) {
                if (random.nextInt(15) == 0) {
                    alive[i] = alive[1 - i] ? !alive[i] : true;
                }
                if (alive[i] && (now < length - 12 || i == 0)) {
                    waiting.get(i).add(S + now);
                    reported.set(now);
                }
                // Batches arrive a little late, and several together.
                if (random.nextInt(3) > 0 || now == length - 1) {
                    for (long second : waiting.get(i)) {
                        indices.accept(
                                sources[i],
                                ID,
                                Told.packets(ID, second, Map.of("rps", 10.0)),
                                (S + now) * 1_000);
                    }
                    waiting.get(i).clear();
                }
            }
        }
        // Finally both report without a loss.
        for (int now = length; now < length + 10; now++) {
            for (String source : sources) {
                indices.accept(
                        source,
                        ID,
                        Told.packets(ID, S + now, Map.of("rps", 10.0)),
                        (S + now) * 1_000);
            }
            reported.set(now);
        }
        MeasurementView view = indices.view(ID, "web-01", ServerLimits.UNKNOWN, S + length + 9);
        for (int second = 0; second < length + 10; second++) {
            double value = view.at("arrivalPerSecond", S + second, 1);
            if (reported.get(second)) {
                assertThat(value).as("second %s of seed %s", second, seed).isEqualTo(10);
            } else {
                assertThat(value).as("second %s of seed %s", second, seed).isNaN();
            }
        }
    }

    private static ServiceWindow lossy(ServiceWindow it, boolean lossy) {
        return new ServiceWindow(
                it.service(),
                it.fromMicros(),
                it.lengthMicros(),
                new ServiceWindow.Connections(
                        it.connections().arrivals(),
                        it.connections().ended(),
                        it.connections().refused(),
                        it.connections().noAnswer(),
                        it.connections().resetsByClient(),
                        it.connections().resetsByServer(),
                        0),
                it.exchanges(),
                it.concurrency(),
                new ServiceWindow.Packets(
                        it.packets().up(),
                        it.packets().down(),
                        it.packets().synRepeats(),
                        1_000,
                        lossy ? 100 : 0,
                        0),
                new ServiceWindow.Times(
                        it.times().response(), it.times().transfer(), it.times().connection()),
                null);
    }

    @Test
    void accept_secondsAlreadyWritten_areNotWrittenAgain() {
        live.accept("agent@a", ID, Told.packets(ID, S, Map.of("rps", 10.0)), S * 1_000);

        boolean written = live.accept(
                "agent@b", ID, Told.packets(ID, S, Map.of("rps", 99.0)), (S + 60) * 1_000);

        assertThat(written).isFalse();
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
        live.accept(
                "agent@a",
                ID,
                Told.packets(ID, S + 1, Map.of("rps", 5.0, "ms", 1_000.0)),
                (S + 1) * 1_000);

        assertThat(at(S + 1).now("responseP50Millis", 2)).isCloseTo(10, within(1.5));
        assertThat(at(S + 1).now("responseP99Millis", 2)).isGreaterThan(900);
    }

    @Test
    void hostSample_fillsTheSecondsBeforeIt_andIsValidUntilTheNextIsOverdue() {
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
        live.accept(
                "agent@a",
                ID,
                Told.packets(ID, S, Map.of("rps", 90.0, "concurrent", 40.0)),
                S * 1_000);
        live.accept(ID, Told.proxy(ID, S, Map.of("rps", 100.0, "hits", 60.0)));

        MeasurementView view = at(S);
        assertThat(view.now("arrivalPerSecond", 1)).isEqualTo(100);
        assertThat(view.now("hitRatio", 1)).isEqualTo(0.6);
        assertThat(view.now("concurrentMean", 1)).isEqualTo(40);
    }

    @Test
    void proxy_poolsAndTier_areIndicesWhereItHasThem() {
        live.accept(
                ID,
                Told.proxy(
                        ID,
                        S,
                        Map.of(
                                "rps",
                                100.0,
                                "protectedHits",
                                30.0,
                                "protectedMisses",
                                10.0,
                                "peakMs",
                                1_000.0)));
        live.accept(ID, Told.proxy(ID, S + 1, Map.of("rps", 100.0, "peakMs", 0.0)));

        MeasurementView first = at(S);
        assertThat(first.now("protectedPoolBytes", 1)).isEqualTo(11_000_000);
        assertThat(first.now("protectedPoolTargetBytes", 1)).isEqualTo(12_000_000);
        assertThat(first.now("protectedPoolHitRatio", 1)).isEqualTo(0.75);
        assertThat(first.now("normalPoolHitRatio", 1)).isNaN();
        assertThat(first.now("bufferBudgetBytes", 1)).isNaN();
        assertThat(at(S + 1).now("protectedPoolBytes", 1)).isNaN();
        assertThat(at(S + 1).now("peakShare", 2)).isEqualTo(0.5);
        assertThat(at(S + 1).now("diskTierHitsPerSecond", 2)).isEqualTo(30);
    }

    @Test
    void outside_bothSidesOfAProxy_giveHitRatioAndTrafficSaved() {
        for (long second = S; second < S + 10; second++) {
            client(second, Map.of("rps", 100.0, "unique", 1_000_000.0));
            origin(second, Map.of("rps", 45.0, "unique", 250_000.0));
        }

        MeasurementView view = at(S + 9);
        assertThat(view.now("outsideHitRatio", 10)).isCloseTo(0.55, within(1e-9));
        assertThat(view.now("outsideTrafficSaved", 10)).isCloseTo(0.75, within(1e-9));
        ProxySplit sides = live.bothSides(ID, S + 9, 10);
        assertThat(sides.counted()).isEqualTo(ProxySplit.Counted.REQUESTS);
        assertThat(sides.originSide().requestsPerSecond()).isEqualTo(45);
        assertThat(sides.own()).isNull();
    }

    @Test
    void outside_requestsUnreadableOnOneSide_countsConnectionsAndReportsIt() {
        client(S, Map.of("rps", 0.0, "conns", 50.0, "unique", 1_000_000.0));
        origin(S, Map.of("rps", 20.0, "conns", 20.0, "unique", 250_000.0));

        assertThat(at(S).now("outsideHitRatio", 1)).isCloseTo(0.6, within(1e-9));
        assertThat(live.bothSides(ID, S, 1).counted()).isEqualTo(ProxySplit.Counted.CONNECTIONS);
    }

    @Test
    void outside_serverWithoutOriginSide_hasNoHitRatio() {
        client(S, Map.of("rps", 100.0));

        assertThat(at(S).now("outsideHitRatio", 1)).isNaN();
        assertThat(live.bothSides(ID, S, 1).originSide()).isNull();
    }

    @Test
    void read_monitorLostPacketsOnEitherSide_marksPacketIndicesOnly() {
        client(S, Map.of("rps", 100.0));
        origin(S, Map.of("rps", 45.0, "lost", 7.0));

        assertThat(at(S).read("outsideHitRatio", 1).underLoss()).isTrue();
        assertThat(at(S).read("outsideHitRatio", 1))
                .extracting(r -> Evidence.of(r).underLoss())
                .isEqualTo(true);
        assertThat(Evidence.of(at(S).read("outsideHitRatio", 1)).text().en())
                .contains("lost packets");
        assertThat(at(S).read("logConcurrentMean", 1).underLoss()).isFalse();
        client(S + 1, Map.of("rps", 100.0));
        origin(S + 1, Map.of("rps", 45.0));
        assertThat(at(S + 1).read("outsideHitRatio", 1).underLoss()).isFalse();
    }

    @Test
    void log_reportedLate_isValidForTheMinuteAfterItBesideThePackets() {
        live.accept(ID, Told.log(ID, S, 5.5, 200));
        client(S + 40, Map.of("rps", 20.0, "concurrent", 130.0));

        MeasurementView view = at(S + 40);
        assertThat(view.now("logConcurrentMean", 10)).isEqualTo(5.5);
        assertThat(view.now("logConcurrentMax", 10)).isEqualTo(11);
        assertThat(view.now("logEntriesPerSecond", 10)).isEqualTo(20);
        assertThat(view.now("logDurationP50Millis", 10)).isCloseTo(3, within(0.6));
        assertThat(at(S + 80).now("logConcurrentMean", 10)).isNaN();
        assertThat(live.bothSides(ID, S + 40, 10).log().concurrentMean()).isEqualTo(5.5);
    }

    @Test
    void roundTrips_splitOfTheWindows_isReadAsPercentiles() {
        client(S, Map.of("rps", 10.0, "thinkMs", 40.0));

        assertThat(at(S).now("thinkP50Millis", 1)).isCloseTo(40, within(6.0));
        assertThat(at(S).now("serverRttP95Millis", 1)).isCloseTo(4, within(1.0));
        assertThat(at(S).now("clientRttP50Millis", 1)).isNaN();
    }

    private void client(long second, Map<String, Double> values) {
        live.accept("agent@a", ID, Told.packets(ID, second, values), second * 1_000);
    }

    private void origin(long second, Map<String, Double> values) {
        String id = OriginSide.of(ID);
        live.accept("agent@a", id, Told.packets(id, second, values), second * 1_000);
    }

    private MeasurementView at(long second) {
        return live.view(ID, "web-01", ServerLimits.UNKNOWN, second);
    }
}
