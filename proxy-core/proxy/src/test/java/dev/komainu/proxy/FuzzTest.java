package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.seed.FuzzSeeds;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Half a second of each target of {@link Fuzz}; {@code -Dfuzz.minutes=10} for more,
 * {@code -Dfuzz.seed=N} for inputs that failed.
 */
class FuzzTest {

    private static final Duration TIME = Duration.ofMillis(Math.max(
            500, (long) (Double.parseDouble(System.getProperty("fuzz.minutes", "0")) * 60_000)));

    @ParameterizedTest
    @EnumSource(Fuzz.Target.class)
    void damagedInput_isRefusedOrLawful(Fuzz.Target target) throws Exception {
        Fuzz fuzz = new Fuzz(FuzzSeeds.fromProperty().next());
        fuzz.run(target, TIME);
        assertThat(fuzz.inputs).isPositive();
    }
}
