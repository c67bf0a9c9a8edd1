package dev.komainu.central.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests with servers whose knee is known by formula, observed up to 60 % of it. */
class CapacityModellerTest {

    private static final int SEEDS = 20;
    private static final ServerModel NOW = ServerModel.now(3);

    private final CapacityModeller modeller = new CapacityModeller(2, 20);

    private CapacityModel model(List<LoadPoint> points, Double cores) {
        return modeller.model("web:80", 0, 1, points, 0, new ServerFacts(cores, null, null, null));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 8})
    void knee_manyServersInOneQueue_isPredictedWithinATenth(int servers) {
        DoubleUnaryOperator response = rate -> Loads.mmc(rate, 100, servers);
        double truth = Math.min(Loads.where(response, 0.03, 100 * servers), 90 * servers);

        assertForetold(truth, 0.6, 12, response, rate -> rate / (100 * servers), servers, 0.95);
    }

    @Test
    void knee_evenRequests_isPredictedWithinATenth() {
        DoubleUnaryOperator response = rate -> Loads.md1(rate, 300);
        double truth = Loads.where(response, 0.01, 300);

        assertForetold(truth, 0.6, 12, response, rate -> rate / 300, 1, 0.95);
    }

    @ParameterizedTest
    @CsvSource({"0.3, 0", "0.5, 0.0005", "0.2, 0.002", "0.1, 0.01"})
    void knee_scalabilityLawWithoutHostSamples_isPredictedWithinATenth(double sigma, double kappa) {
        UslCurve law = new UslCurve(50, sigma, kappa);
        double truth = law.rateAt(3 * law.atRest(), law.limitingRate());

        assertForetold(truth, 0.75, 60, law::seconds, rate -> Double.NaN, null, 0.95);
    }

    private void assertForetold(
            double truth,
            double share,
            int each,
            DoubleUnaryOperator response,
            DoubleUnaryOperator cpu,
            Number cores,
            double of) {
        int near = 0;
        int within = 0;
        StringBuilder told = new StringBuilder();
        for (int seed = 0; seed < SEEDS; seed++) {
            Double known = cores == null ? null : cores.doubleValue();
            CapacityModel model = model(
                    Loads.steps(
                            Loads.upTo(truth, share),
                            each,
                            response,
                            cpu,
                            known == null ? 1 : known,
                            0.05,
                            seed),
                    known);
            Knee knee = model.knee(NOW);
            assertThat(knee).as("seed " + seed + " " + model.missing()).isNotNull();
            near += Math.abs(knee.rate() / truth - 1) <= 0.1 ? 1 : 0;
            within += knee.low() <= truth && (knee.high() == null || knee.high() >= truth) ? 1 : 0;
            told.append(String.format(
                    Locale.ROOT,
                    "%.0f[%.0f-%.0f]%s ",
                    knee.rate(),
                    knee.low(),
                    knee.high(),
                    knee.by()));
        }
        assertThat(near).as("truth %.0f, told %s", truth, told).isGreaterThanOrEqualTo((int)
                Math.ceil(of * SEEDS));
        assertThat(within).as("intervals around %.0f: %s", truth, told).isGreaterThanOrEqualTo((int)
                (0.8 * SEEDS));
    }
}
