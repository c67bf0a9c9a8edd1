package dev.komainu.agent.connection;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.seed.FuzzSeeds;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;
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
    void damagedInput_isReportedAndDropped(Fuzz.Target target, @TempDir Path directory)
            throws Exception {
        Fuzz fuzz = new Fuzz(FuzzSeeds.fromProperty().next(), directory.resolve("capture"));
        fuzz.run(target, TIME);
        assertThat(fuzz.inputs).isPositive();
    }
}
