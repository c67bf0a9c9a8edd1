package dev.komainu.central.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests of a model: the present server, a changed server, and the model's own quality. */
class CapacityModelTest {

    private static final ServerModel NOW = ServerModel.now(3);

    private final CapacityModeller modeller = new CapacityModeller(2, 30);

    private CapacityModel model(List<LoadPoint> points, ServerFacts facts) {
        return modeller.model("web:80", 0, 1, points, 0, facts);
    }

    private static List<LoadPoint> oneCore() {
        return Loads.steps(
                Loads.upTo(200, 0.6),
                20,
                rate -> Loads.mmc(rate, 300, 1),
                rate -> rate / 300,
                1,
                0.03,
                1);
    }

    private static final ServerFacts ONE_CORE = new ServerFacts(1.0, null, null, null);

    private static LoadPoint with(LoadPoint point, Resource resource, double share) {
        Map<Resource, Double> use = new EnumMap<>(Resource.class);
        use.putAll(point.use());
        use.put(resource, share);
        return new LoadPoint(
                point.atSecond(),
                point.arrival(),
                point.processed(),
                point.processing(),
                point.concurrent(),
                point.responseSeconds(),
                point.cpuCores(),
                use);
    }

    @Test
    void model_noTraffic_reportsIt() {
        CapacityModel model = model(List.of(), ServerFacts.UNKNOWN);

        assertThat(model.knee(NOW)).isNull();
        assertThat(model.missing()).extracting(MissingInput::what).containsExactly("traffic");
    }

    @Test
    void model_oneLoadOnly_requiresASpan() {
        List<LoadPoint> points = Loads.steps(
                new double[] {100, 105, 110}, 20, rate -> 0.01, rate -> rate / 300, 1, 0.02, 1);

        CapacityModel model = model(points, ONE_CORE);

        assertThat(model.knee(NOW)).isNull();
        assertThat(model.missing()).hasSize(1);
        assertThat(model.missing().getFirst().what()).isEqualTo("span");
        assertThat(model.missing().getFirst().have()).isBetween(1.0, 1.5);
    }

    @Test
    void model_twoMinutes_requiresMoreTime() {
        CapacityModel model = model(oneCore().subList(0, 12), ONE_CORE);

        assertThat(model.knee(NOW)).isNull();
        assertThat(model.missing()).extracting(MissingInput::what).contains("minutes");
    }

    @Test
    void model_withoutHostSamples_usesPacketsAndNamesTheMissingInput() {
        List<LoadPoint> points = Loads.steps(
                Loads.upTo(200, 0.6),
                20,
                rate -> Loads.mmc(rate, 300, 1),
                rate -> Double.NaN,
                1,
                0.03,
                1);

        CapacityModel model = model(points, ServerFacts.UNKNOWN);

        assertThat(model.missing()).extracting(MissingInput::what).containsExactly("host");
        assertThat(model.fit().curve()).isInstanceOf(UslCurve.class);
        assertThat(model.knee(NOW).rate()).isCloseTo(200, within(30.0));
    }

    @Test
    void knee_loadsFarBelow_isALowerBound() {
        List<LoadPoint> points = Loads.steps(
                Loads.upTo(200, 0.2),
                20,
                rate -> Loads.mmc(rate, 300, 1),
                rate -> rate / 300,
                1,
                0.03,
                1);

        Knee knee = model(points, ONE_CORE).knee(NOW);

        assertThat(knee.beyond()).isTrue();
        assertThat(knee.by()).isEqualTo(Knee.BEYOND);
        assertThat(knee.high()).isNull();
        assertThat(knee.rate()).isCloseTo(80, within(6.0));
    }

    @Test
    void cpuSeconds_serviceDemand_isThatOfTheUtilisationLaw() {
        assertThat(model(oneCore(), ONE_CORE).cpuSeconds().value())
                .isCloseTo(1.0 / 300, within(0.0001));
    }

    @Test
    void little_measurementsThatAgree_andOneThatDoesNot() {
        List<LoadPoint> points = oneCore();
        assertThat(model(points, ONE_CORE).little().agrees()).isTrue();

        List<LoadPoint> half = points.stream()
                .map(point -> new LoadPoint(
                        point.atSecond(),
                        point.arrival(),
                        point.processed(),
                        point.processing() / 2,
                        point.concurrent(),
                        point.responseSeconds(),
                        point.cpuCores(),
                        point.use()))
                .toList();
        LittlesLaw told = model(half, ONE_CORE).little();
        assertThat(told.agrees()).isFalse();
        assertThat(told.ratio()).isCloseTo(0.5, within(0.05));
    }

    @Test
    void knee_workersEndFirst_areNamed() {
        // 10 ms each: 0.95 of one worker is in use at 0.95 / 0.01 s, long before the CPU is
        // exhausted.
        List<LoadPoint> points = Loads.steps(
                Loads.upTo(95, 0.6), 20, rate -> 0.010, rate -> rate / 1_000, 1, 0.03, 1);

        Knee knee = model(points, new ServerFacts(1.0, null, 1.0, null)).knee(NOW);

        assertThat(knee.by()).isEqualTo("workers");
        assertThat(knee.rate()).isCloseTo(95, within(6.0));
    }

    @Test
    void knee_filesEndFirst_areNamed_andMemoryThatOnlyLiesThereIsNot() {
        List<LoadPoint> points = oneCore().stream()
                .map(point -> with(point, Resource.FILES, 0.05 + point.processed() / 200))
                .toList();

        CapacityModel model = model(points, ONE_CORE);

        assertThat(model.bounding())
                .contains(Resource.FILES, Resource.CPU)
                .doesNotContain(Resource.MEMORY);
        assertThat(model.knee(NOW).by()).isEqualTo("files");
        assertThat(model.knee(NOW).rate()).isCloseTo(180, within(6.0));
    }

    @Test
    void whatIf_fasterCpu_carriesInProportion() {
        CapacityModel model = model(oneCore(), ONE_CORE);

        Knee twice = model.knee(NOW.with(Resource.CPU, 2));

        // The limit in seconds does not change, so a request that takes half as long can wait a
        // little longer.
        double truth = Loads.where(rate -> Loads.mmc(rate, 600, 1), 0.01, 600);
        assertThat(twice.rate()).isCloseTo(Math.min(truth, 540), within(40.0));
        assertThat(twice.low()).isLessThanOrEqualTo(twice.rate());
    }

    @Test
    void whatIf_everySlider_movesTheRightWay() {
        CapacityModel model = model(oneCore(), new ServerFacts(1.0, null, 50.0, null));
        double knee = model.knee(NOW).rate();

        assertThat(model.knee(NOW.with(Resource.CPU, 0.5)).rate()).isLessThan(knee);
        assertThat(model.knee(ServerModel.now(1.5)).rate()).isLessThan(knee);
        assertThat(model.knee(ServerModel.now(6)).rate()).isGreaterThan(knee);
        assertThat(model.knee(NOW.with(Resource.WORKERS, 0.01)).by()).isEqualTo("workers");
        assertThat(model.response(NOW, 150).value())
                .isGreaterThan(model.response(NOW, 100).value());
        assertThat(model.use(Resource.CPU, NOW, 150).value()).isCloseTo(0.5, within(0.02));
    }

    @Test
    void need_targetBeyondTheKnee_isMetByTheNamedResources() {
        CapacityModel model = model(oneCore(), ONE_CORE);
        double target = 350;

        List<UpgradeNeed> needs = UpgradeNeed.at(model, NOW, target);

        assertThat(needs).hasSize(1);
        assertThat(needs.getFirst().resource()).isEqualTo(Resource.CPU);
        ServerModel bought = NOW.with(Resource.CPU, needs.getFirst().factor());
        assertThat(model.knee(bought).rate()).isGreaterThanOrEqualTo(target * 0.999);
        assertThat(UpgradeNeed.at(model, NOW, 100)).isEmpty();
    }

    @Test
    void upgrade_kneesOfBothSides_giveGainPerCost() {
        Upgrade.Side before = new Upgrade.Side(200, 190, 210.0, "cpu", false);
        Upgrade upgrade = new Upgrade(
                1,
                "web:80",
                "faster",
                java.time.Instant.EPOCH,
                new java.math.BigDecimal("50"),
                "EUR",
                before);

        Upgrade.Effect effect = upgrade.effect(new Upgrade.Side(300, 280, 320.0, "cpu", false));

        assertThat(effect.gain()).isEqualTo(100);
        assertThat(effect.ratio()).isEqualTo(1.5);
        assertThat(effect.perCost()).isEqualTo(2);
        assertThat(effect.certain()).isTrue();
        assertThat(upgrade.effect(new Upgrade.Side(205, 195, 215.0, "cpu", false))
                        .certain())
                .isFalse();
        assertThat(upgrade.effect(null).gain()).isNull();
        assertThat(upgrade.effect(new Upgrade.Side(400, 380, null, "beyond", true))
                        .gain())
                .isNull();
    }

    @Test
    void usl_itsOwnPoints_areFittedExactly() {
        UslCurve law = new UslCurve(40, 0.1, 0.002);
        for (double rate = 5; rate < law.limitingRate(); rate += 5) {
            double seconds = law.seconds(rate);
            assertThat(law.rate(rate * seconds)).isCloseTo(rate, within(1e-6));
        }
        assertThat(law.seconds(law.limitingRate() * 1.01)).isInfinite();
        assertThat(new UslCurve(40, 1, 0).seconds(10)).isZero();
    }

    @Test
    void model_samePoints_sameResult() {
        assertThat(model(oneCore(), ONE_CORE)).isEqualTo(model(oneCore(), ONE_CORE));
    }
}
