package dev.komainu.central.union;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.komainu.central.store.ServiceSum;
import dev.komainu.central.store.Summation;
import dev.komainu.central.union.SeenTraffic.Report;
import dev.komainu.central.union.SeenTraffic.Talk;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rule of the union, with two and three sources. */
class ServiceUnionTest {

    private static final int FROM = 1_000;
    private static final int SECONDS = 12;
    private static final Predicate<Talk> ALL = talk -> true;

    private final ServiceUnion union = new ServiceUnion(SeenTraffic.SERVICE);
    private final TreeMap<Long, ServiceWindow> settled = new TreeMap<>();
    private final List<Long> estimated = new ArrayList<>();

    /** Connections begin two seconds after the sources and end before them. */
    private final SeenTraffic traffic = SeenTraffic.random(1, 3_000, FROM + 2, SECONDS - 8);

    private static Predicate<Talk> nth(int part, int of) {
        return talk -> Math.floorMod(talk.key(), of) == part;
    }

    private TreeMap<Long, Report> reports(Predicate<Talk> seen, long clockMicros) {
        return traffic.reports(seen, clockMicros, FROM, SECONDS);
    }

    /** Reports each second of all sources, then settles. */
    private void run(Map<String, TreeMap<Long, Report>> sources) {
        for (long second = FROM; second < FROM + SECONDS; second++) {
            for (Map.Entry<String, TreeMap<Long, Report>> source : sources.entrySet()) {
                report(source.getKey(), source.getValue().get(second), second);
            }
            settle(second);
        }
        settle(FROM + SECONDS + 4);
    }

    private void report(String source, Report report, long second) {
        if (report != null) {
            union.accept(source, report.parts(), millis(second));
            assertThat(union.accept(source, false, report.window(), millis(second)))
                    .as("%s at %s", source, second)
                    .isEqualTo(second > FROM || !settled.isEmpty() || source.compareTo("a") > 0);
        }
    }

    private void settle(long second) {
        for (SettledSecond each : union.settle(millis(second))) {
            settled.put(each.second(), each.window());
            if (each.estimated()) {
                estimated.add(each.second());
            }
        }
    }

    private static long millis(long second) {
        return (second + 1) * 1_000 + 200;
    }

    private TreeMap<Long, ServiceWindow> alone(Predicate<Talk> seen) {
        TreeMap<Long, ServiceWindow> windows = new TreeMap<>();
        reports(seen, 0).forEach((second, report) -> windows.put(second, report.window()));
        return windows;
    }

    private static ServiceWindow total(TreeMap<Long, ServiceWindow> windows) {
        List<Summation.Part<ServiceWindow>> parts = windows.values().stream()
                .map(window -> new Summation.Part<>(window, window.lengthMicros()))
                .toList();
        return new ServiceSum().sum(parts, 0, 1_000_000);
    }

    @Test
    void equalViews_giveTheWindowsOfOne() {
        run(new TreeMap<>(Map.of("a", reports(ALL, 0), "b", reports(ALL, 0))));

        assertThat(settled).isEqualTo(alone(ALL));
        assertThat(union.views().relation()).isEqualTo(SeenViews.Relation.EQUAL);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void disjointViews_giveTheWindowsOfAllConnections(int sources) {
        TreeMap<String, TreeMap<Long, Report>> split = new TreeMap<>();
        for (int i = 0; i < sources; i++) {
            split.put(Character.toString('a' + i), reports(nth(i, sources), 0));
        }
        run(split);

        assertThat(settled).isEqualTo(alone(ALL));
        assertThat(estimated).isEmpty();
        SeenViews views = union.views();
        assertThat(views.relation()).isEqualTo(SeenViews.Relation.DISJOINT);
        assertThat(views.views()).hasSize(sources).allSatisfy(view -> {
            assertThat(views.share(view)).isCloseTo(1.0 / sources, within(0.05));
            assertThat(view.alone()).isEqualTo(view.seen());
            assertThat(views.error(view)).isZero();
        });
    }

    @Test
    void halfOverlappingViews_countEachConnectionOnce() {
        run(new TreeMap<>(Map.of(
                "a", reports(nth(0, 3).or(nth(1, 3)), 0),
                "b", reports(nth(1, 3).or(nth(2, 3)), 0))));

        assertThat(settled).isEqualTo(alone(ALL));
        SeenViews views = union.views();
        assertThat(views.relation()).isEqualTo(SeenViews.Relation.OVERLAPPING);
        assertThat(views.share(views.views().getFirst())).isCloseTo(2 / 3.0, within(0.05));
    }

    @ParameterizedTest
    @ValueSource(longs = {-1_000_000, -400_000, 137, 500_000, 1_000_000})
    void clocksThatDiffer_changeNoTotal(long clockMicros) {
        run(new TreeMap<>(Map.of(
                "a", reports(nth(0, 3).or(nth(1, 3)), 0),
                "b", reports(nth(1, 3).or(nth(2, 3)), clockMicros))));

        ServiceWindow expected = total(alone(ALL));
        ServiceWindow sum = total(settled);
        assertThat(sum.connections()).isEqualTo(expected.connections());
        assertThat(sum.exchanges()).isEqualTo(expected.exchanges());
        assertThat(sum.times()).isEqualTo(expected.times());
        assertThat(sum.packets()).isEqualTo(expected.packets());
        assertThat(union.views().relation()).isEqualTo(SeenViews.Relation.OVERLAPPING);
    }

    @Test
    void equalViewsOfDifferingClocks_areToldAsEqual() {
        run(new TreeMap<>(Map.of("a", reports(ALL, 0), "b", reports(ALL, 700_000))));

        assertThat(total(settled).connections()).isEqualTo(total(alone(ALL)).connections());
        assertThat(union.views().relation()).isEqualTo(SeenViews.Relation.EQUAL);
    }

    @Test
    void connectionsOfAnEarlierMinute_areForgotten() {
        SeenTraffic long100 = SeenTraffic.random(9, 10_000, FROM, 100);
        TreeMap<Long, Report> a = long100.reports(ALL, 0, FROM, 100);
        for (long second = FROM; second < FROM + 100; second++) {
            report("a", a.get(second), second);
            report("b", a.get(second), second);
            settle(second);
            SeenViews views = union.views();
            assertThat(views == null ? 0 : views.connections()).isLessThan(4_500);
        }
        assertThat(union.views().connections()).isGreaterThan(1_500);
    }

    @Test
    void killedSource_costsNothingThatAnotherSaw() {
        TreeMap<Long, Report> killed = reports(nth(0, 3).or(nth(1, 3)), 0);
        killed.tailMap(FROM + 5L).clear();
        Predicate<Talk> other = nth(1, 3).or(nth(2, 3));
        run(new TreeMap<>(Map.of("a", killed, "b", reports(other, 0))));
        settle(FROM + SECONDS + 40);

        assertThat(settled.headMap(FROM + 5L)).isEqualTo(alone(ALL).headMap(FROM + 5L));
        assertThat(settled.tailMap(FROM + 5L)).isEqualTo(alone(other).tailMap(FROM + 5L));
    }

    @ParameterizedTest
    @ValueSource(longs = {-400_000, -3_000, 3_000, 400_000})
    void killedSourceOfAnotherClock_noConnectionBeginsTwice(long clockMicros) {
        TreeMap<Long, Report> killed = reports(nth(0, 3).or(nth(1, 3)), 0);
        killed.tailMap(FROM + 5L).clear();
        run(new TreeMap<>(Map.of("a", killed, "b", reports(ALL, clockMicros))));
        settle(FROM + SECONDS + 40);

        ServiceWindow expected = total(alone(ALL));
        assertThat(total(settled).connections().arrivals())
                .isEqualTo(expected.connections().arrivals());
        assertThat(total(settled).connections().ended())
                .isLessThanOrEqualTo(expected.connections().ended());
    }

    @Test
    void killedSourceThatIsBack_countsAgain() {
        TreeMap<Long, Report> restarted = reports(nth(0, 2), 0);
        restarted.subMap(FROM + 4L, FROM + 6L).clear();
        run(new TreeMap<>(Map.of("a", restarted, "b", reports(nth(1, 2), 0))));

        TreeMap<Long, ServiceWindow> expected = alone(ALL);
        expected.putAll(alone(nth(1, 2)).subMap(FROM + 4L, FROM + 6L));
        assertThat(settled).isEqualTo(expected);
    }

    @Test
    void lossyOwner_isReplacedByACleanSource() {
        TreeMap<Long, Report> lossy = reports(ALL, 0);
        lossy.replaceAll((second, report) -> second < FROM + 4 ? report : lossy(report));
        run(new TreeMap<>(Map.of("a", lossy, "b", reports(ALL, 0))));

        assertThat(settled).isEqualTo(alone(ALL));
    }

    /** The report of a source that lost nine of ten packets. */
    private static Report lossy(Report report) {
        ServiceWindow window = report.window();
        ServiceWindow.Packets packets = window.packets();
        return new Report(
                report.parts(),
                new ServiceWindow(
                        window.service(),
                        window.fromMicros(),
                        window.lengthMicros(),
                        window.connections(),
                        window.exchanges(),
                        window.concurrency(),
                        new ServiceWindow.Packets(
                                packets.up(), packets.down(), packets.synRepeats(), 100, 900, 0),
                        window.times(),
                        window.failures(),
                        window.clientPaths()));
    }

    @Test
    void connectionThatMovesToAnotherMonitor_isFollowed() {
        // The switch sends all packets to b from the seventh second on.
        TreeMap<Long, Report> before = reports(ALL, 0);
        TreeMap<Long, Report> after = reports(ALL, 0);
        TreeMap<Long, Report> nothing = reports(talk -> false, 0);
        before.putAll(nothing.tailMap(FROM + 6L));
        after.putAll(nothing.headMap(FROM + 6L));
        run(new TreeMap<>(Map.of("a", before, "b", after)));

        // For the difference that clocks may have, b's report could be that of a.
        ServiceWindow later = total(new TreeMap<>(settled.tailMap(FROM + 9L)));
        assertThat(later.connections())
                .isEqualTo(total(new TreeMap<>(alone(ALL).tailMap(FROM + 9L))).connections());
        assertThat(later.connections().ended()).isPositive();
    }

    @Test
    void secondThatIsMissing_isWaitedForSevenSeconds_andIsLateThen() {
        TreeMap<Long, Report> a = reports(nth(0, 2), 0);
        TreeMap<Long, Report> b = reports(nth(1, 2), 0);
        reportBoth(a, b, FROM, FROM + 3);
        long missing = FROM + 3;
        for (long second = missing; second < missing + 7; second++) {
            report("a", a.get(second), second);
            settle(second);
            assertThat(settled).doesNotContainKey(missing);
        }

        report("a", a.get(missing + 7), missing + 7);
        settle(missing + 7);
        for (long second = missing; second <= missing + 7; second++) {
            assertThat(settled.get(second)).isEqualTo(a.get(second).window());
        }
        assertThat(union.views().missing())
                .containsExactly(new SeenViews.Missing("b", missing - 1, 8));

        for (long second = missing; second <= missing + 7; second++) {
            report("b", b.get(second), missing + 7);
            settle(missing + 7);
            assertThat(settled.get(second)).isEqualTo(a.get(second).window());
        }
        assertThat(union.views().leftOut(LeftOutReason.LATE)).isEqualTo(8);

        // In time again, it is awaited again.
        report("b", b.get(missing + 8), missing + 8);
        settle(missing + 8);
        assertThat(union.views().missing()).isEmpty();
        assertThat(settled).doesNotContainKey(missing + 8);
    }

    private void reportBoth(
            TreeMap<Long, Report> a, TreeMap<Long, Report> b, long from, long before) {
        for (long second = from; second < before; second++) {
            report("a", a.get(second), second);
            report("b", b.get(second), second);
            settle(second);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 6})
    void sourceOnABusyHost_isAddedAlthoughItsReportsComeInHeaps(int pause) {
        TreeMap<Long, Report> prompt = reports(nth(0, 2), 0);
        TreeMap<Long, Report> busy = reports(nth(1, 2), 0);
        reportBoth(prompt, busy, FROM, FROM + 1);
        for (long second = FROM + 1; second < FROM + SECONDS; second++) {
            report("a", prompt.get(second), second);
            settle(second);
            if ((second - FROM) % pause == 0 || second == FROM + SECONDS - 1) {
                for (long waited = Math.max(FROM + 1, second - pause + 1);
                        waited <= second;
                        waited++) {
                    if (!settled.containsKey(waited)) {
                        report("b", busy.get(waited), second);
                    }
                }
                settle(second);
            }
        }

        assertThat(settled).isEqualTo(alone(ALL));
        assertThat(union.views().leftOut()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 20, 100})
    void centralServiceThatStoodStill_addsEachSource(int seconds) {
        TreeMap<Long, Report> a = reports(nth(0, 2), 0);
        TreeMap<Long, Report> b = reports(nth(1, 2), 0);
        reportBoth(a, b, FROM, FROM + 3);
        long back = FROM + 3 + seconds;
        // The reports of one source are read first.
        for (Map.Entry<String, TreeMap<Long, Report>> source :
                new TreeMap<>(Map.of("a", a, "b", b)).entrySet()) {
            source.getValue().tailMap(FROM + 3L).forEach((second, report) -> {
                report(source.getKey(), report, back);
                settle(back);
            });
        }

        assertThat(settled).isEqualTo(alone(ALL));
        assertThat(union.views().leftOut()).isEmpty();
    }

    @Test
    void captureThatRestartsWithinASecond_bothOfItsReportsCount() {
        TreeMap<Long, Report> before = reports(nth(0, 3), 0);
        TreeMap<Long, Report> after = reports(nth(1, 3), 0);
        TreeMap<Long, Report> other = reports(nth(2, 3), 0);
        for (long second = FROM; second < FROM + SECONDS; second++) {
            report("a", before.get(second), second);
            if (second > FROM) {
                report("a", after.get(second), second);
            }
            report("b", other.get(second), second);
            settle(second);
        }

        assertThat(settled).isEqualTo(alone(ALL));
    }

    @Test
    void windowFarAhead_isCounted_andItsSourceIsStillWaitedFor() {
        TreeMap<Long, Report> a = reports(nth(0, 2), 0);
        TreeMap<Long, Report> b = reports(nth(1, 2), 0);
        reportBoth(a, b, FROM, FROM + 2);
        ServiceWindow ahead =
                traffic.reports(ALL, 0, FROM + 900, 1).firstEntry().getValue().window();
        assertThat(union.accept("b", false, ahead, millis(FROM + 2))).isFalse();
        for (long second = FROM + 2; second < FROM + SECONDS; second++) {
            report("a", a.get(second), second);
            settle(second);
            report("b", b.get(second), second);
            settle(second);
        }

        assertThat(settled).isEqualTo(alone(ALL));
        assertThat(union.views().leftOut()).isEqualTo(Map.of(LeftOutReason.AHEAD, 1L));
    }

    @Test
    void windowsThatAreLeftOut_areCountedByReason() {
        TreeMap<Long, Report> a = reports(nth(0, 2), 0);
        TreeMap<Long, Report> b = reports(nth(1, 2), 0);
        reportBoth(a, b, FROM, FROM + 2);
        report("a", a.get(FROM + 2L), FROM + 2);
        union.accept("b", false, b.get(FROM + 2L).window(), millis(FROM + 2));
        settle(FROM + 2);
        assertThat(settled.get(FROM + 2L)).isEqualTo(a.get(FROM + 2L).window());
        assertThat(union.views().leftOut()).isEqualTo(Map.of(LeftOutReason.WITHOUT_PARTS, 1L));

        // Connections for which no window comes fill the room.
        traffic.reports(talk -> false, 0, FROM + 10, 200)
                .values()
                .forEach(report -> union.accept("b", report.parts(), millis(FROM + 3)));
        report("a", a.get(FROM + 3L), FROM + 3);
        report("b", b.get(FROM + 3L), FROM + 3);
        settle(FROM + 3);
        assertThat(union.views().leftOut())
                .isEqualTo(Map.of(LeftOutReason.WITHOUT_PARTS, 1L, LeftOutReason.WITHOUT_ROOM, 1L));

        report("a", a.get(FROM + 4L), FROM + 4);
        union.clearAfter(FROM + 1);
        for (Map.Entry<String, TreeMap<Long, Report>> source :
                new TreeMap<>(Map.of("a", a, "b", b)).entrySet()) {
            Report report = source.getValue().get(FROM + 5L);
            union.accept(source.getKey(), report.parts(), millis(FROM + 5));
            union.accept(source.getKey(), false, report.window(), millis(FROM + 5));
        }
        assertThat(union.views().leftOut(LeftOutReason.SET_BACK)).isEqualTo(1);
    }

    @Test
    void backlogOfTwoSources_isAddedAlthoughOneComesLater() {
        TreeMap<Long, Report> a = reports(nth(0, 2), 0);
        TreeMap<Long, Report> b = reports(nth(1, 2), 0);
        report("a", a.get((long) FROM), FROM);
        report("b", b.get((long) FROM), FROM);
        settle(FROM);
        settle(FROM + 40);
        // The central service was away; b's backlog comes second by second.
        long back = FROM + 60;
        for (long second = FROM + 1; second < FROM + SECONDS; second++) {
            union.accept("a", a.get(second).parts(), millis(back));
            union.accept("a", false, a.get(second).window(), millis(back));
        }
        for (long second = FROM + 1; second < FROM + SECONDS; second++) {
            union.accept("b", b.get(second).parts(), millis(back + 2 * second - 2 * FROM));
            union.accept("b", false, b.get(second).window(), millis(back + 2 * second - 2 * FROM));
            settle(back + 2 * second - 2 * FROM);
        }

        assertThat(settled).isEqualTo(alone(ALL));
    }

    @Test
    void oneSourceLeft_electionTakesOver() {
        TreeMap<Long, Report> a = reports(nth(0, 2), 0);
        TreeMap<Long, Report> b = reports(nth(1, 2), 0);
        report("a", a.get((long) FROM), FROM);
        report("b", b.get((long) FROM), FROM);
        settle(FROM);
        assertThat(union.isShared(millis(FROM + 30))).isTrue();
        assertThat(union.isShared(millis(FROM + 31))).isFalse();

        settle(FROM + 31);

        assertThat(union.accept("b", false, b.get(FROM + 11L).window(), millis(FROM + 31)))
                .isFalse();
        assertThat(union.views()).isNull();
    }

    @Test
    void windowsWithoutConnections_leaveTheElection() {
        TreeMap<Long, Report> a = reports(ALL, 0);
        for (long second = FROM; second < FROM + 5; second++) {
            for (String source : List.of("a", "b")) {
                assertThat(union.accept(source, false, a.get(second).window(), millis(second)))
                        .isFalse();
            }
            settle(second);
        }
        assertThat(settled).isEmpty();
        assertThat(union.isShared(millis(FROM + 5))).isTrue();
    }

    @Test
    void clocksOfAllSourcesSetBack_beginAgain() {
        TreeMap<Long, Report> a = reports(ALL, 0);
        run(new TreeMap<>(Map.of("a", a, "b", reports(ALL, 0))));
        SeenTraffic earlier = SeenTraffic.random(3, 100, FROM - 900, 5);
        TreeMap<Long, Report> again = earlier.reports(ALL, 0, FROM - 900, 6);
        settled.clear();
        for (Map.Entry<Long, Report> report : again.entrySet()) {
            for (String source : List.of("a", "b")) {
                union.accept(source, report.getValue().parts(), millis(FROM + 20));
                union.accept(source, false, report.getValue().window(), millis(FROM + 20));
            }
            settle(FROM + 20);
        }

        assertThat(settled).hasSizeGreaterThanOrEqualTo(4);
    }

    @Test
    void moreConnectionsThanTheLimit_giveAnEstimateThatIsMarked() {
        // It began before, for both.
        SeenTraffic many = SeenTraffic.random(5, 140_000, FROM - 3, 11);
        Predicate<Talk> one = nth(0, 3).or(nth(1, 3));
        Predicate<Talk> two = nth(1, 3).or(nth(2, 3));
        TreeMap<Long, Report> a = many.reports(one, 0, FROM, 8);
        TreeMap<Long, Report> b = many.reports(two, 600_000, FROM, 8);
        for (long second = FROM; second < FROM + 8; second++) {
            report("a", a.get(second), second);
            report("b", b.get(second), second);
            settle(second);
        }

        assertThat(estimated).hasSizeGreaterThanOrEqualTo(6);
        long truth = many.talks().stream()
                .filter(talk -> talk.begins() >= (FROM + 4) * 1_000_000L)
                .count();
        long counted = settled.tailMap(FROM + 4L).values().stream()
                .mapToLong(window -> window.connections().arrivals())
                .sum();
        // By the clock, a part of b's connections of the last second is missing.
        assertThat((double) counted).isCloseTo(truth, within(truth * 0.07));
        SeenViews views = union.views();
        assertThat(views.sampled()).isTrue();
        assertThat(views.relation()).isEqualTo(SeenViews.Relation.OVERLAPPING);
        for (SeenViews.View view : views.views()) {
            assertThat(views.error(view)).isBetween(0.001, 0.05);
            assertThat(views.share(view))
                    .as("%s", views)
                    .isCloseTo(2 / 3.0, within(2 * views.error(view)));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 600_000})
    void equalViewsBeyondTheLimit_areNotCountedTwice(long clockMicros) {
        SeenTraffic many = SeenTraffic.random(5, 60_000, FROM, 8);
        TreeMap<Long, Report> a = many.reports(ALL, 0, FROM, 8);
        TreeMap<Long, Report> b = many.reports(ALL, clockMicros, FROM, 8);
        for (long second = FROM; second < FROM + 8; second++) {
            report("a", a.get(second), second);
            report("b", b.get(second), second);
            settle(second);
        }

        assertThat(estimated).hasSizeGreaterThanOrEqualTo(6);
        for (long second = FROM + 4; second < FROM + 7; second++) {
            assertThat((double) settled.get(second).connections().arrivals())
                    .isCloseTo(
                            a.get(second).window().connections().arrivals(),
                            within(settled.get(second).connections().arrivals() * 0.03));
        }
        assertThat(union.views().relation()).isEqualTo(SeenViews.Relation.EQUAL);
    }
}
