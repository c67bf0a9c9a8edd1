package dev.komainu.central.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import dev.komainu.settings.EffectiveSetting;
import dev.komainu.settings.kit.Spellings;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.env.MockEnvironment;
import org.springframework.util.unit.DataSize;

/** All mistakes at once, each with name, value and expectation. */
class SettingsReaderTest {

    private final MockEnvironment environment = new MockEnvironment();
    private final SettingsReader reader = new SettingsReader(environment);

    @Test
    void finish_severalMistakes_tellsAllOfThem() {
        environment.setProperty("komainu.a", "0");
        environment.setProperty("komainu.b", "soon");
        environment.setProperty("komainu.c", "7");

        reader.number("komainu.a", 1, 1, 9);
        reader.duration("komainu.b", Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofMinutes(1));

        assertThatThrownBy(reader::finish)
                .asInstanceOf(type(SettingsMistakes.class))
                .extracting(SettingsMistakes::lines)
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
                .containsExactly(
                        "komainu.a: 0 (expected: a whole number, 1 to 9)",
                        "komainu.b: soon (expected: a duration with unit, 1s to 1m)",
                        "komainu.c: 7 (unknown setting; expected one of: komainu.a, komainu.b)");
    }

    @Test
    void read_rightValues_areTaken() {
        environment.setProperty("komainu.n", " 5 ");
        environment.setProperty("komainu.d", "90s");
        environment.setProperty("komainu.s", "64MB");
        environment.setProperty("komainu.f", "true");
        environment.setProperty("komainu.w", "a.example, b.example");

        assertThat(reader.number("komainu.n", 1, 1, 9)).isEqualTo(5);
        assertThat(reader.duration("komainu.d", Duration.ZERO, Duration.ZERO, Duration.ofDays(1)))
                .isEqualTo(Duration.ofSeconds(90));
        assertThat(reader.size("komainu.s", DataSize.ofBytes(1), DataSize.ofBytes(1), DataSize.ofGigabytes(1)))
                .isEqualTo(DataSize.ofMegabytes(64));
        assertThat(reader.flag("komainu.f", false)).isTrue();
        assertThat(reader.words("komainu.w", java.util.List.of(), "[a-z.]+", "names"))
                .containsExactly("a.example", "b.example");
        reader.finish();
    }

    @ParameterizedTest
    @ValueSource(strings = {"90", "2d", "0s", "-5s", "PT", ""})
    void duration_withoutUnitOrOutOfRange_isAMistake(String text) {
        environment.setProperty("komainu.d", text);

        reader.duration("komainu.d", Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofDays(1));

        assertThatThrownBy(reader::finish).hasMessageStartingWith("komainu.d: " + text + " (expected: a duration");
    }

    @Test
    void spellings_areReadAsInEveryPart() throws IOException {
        for (Spellings.Spelling one : Spellings.of("size")) {
            hold(
                    one,
                    in -> in.size("komainu.x", DataSize.ofBytes(1), DataSize.ofBytes(1), DataSize.ofGigabytes(1))
                            .toBytes());
        }
        for (Spellings.Spelling one : Spellings.of("duration")) {
            hold(
                    one,
                    in -> in.duration("komainu.x", Duration.ZERO, Duration.ZERO, Duration.ofDays(1))
                            .toMillis());
        }
        for (Spellings.Spelling one : Spellings.of("truth")) {
            hold(one, in -> in.flag("komainu.x", !Boolean.parseBoolean(one.value())));
        }
    }

    private static void hold(Spellings.Spelling one, Function<SettingsReader, Object> value) {
        MockEnvironment given = new MockEnvironment().withProperty("komainu.x", one.text());
        SettingsReader in = new SettingsReader(given);
        Object read = value.apply(in);
        if (one.value() == null) {
            assertThatThrownBy(in::finish)
                    .asInstanceOf(type(SettingsMistakes.class))
                    .satisfies(mistakes -> assertThat(mistakes.lines().getFirst())
                            .startsWith("komainu.x: " + one.text() + " (expected: "));
        } else {
            in.finish();
            assertThat(read).as(one.text()).hasToString(one.value());
        }
    }

    @Test
    void effective_tellsEachSettingWithItsSource() {
        environment.setProperty("komainu.n", "5");
        reader.number("komainu.n", 1, 1, 9);
        reader.duration("komainu.d", Duration.ofMinutes(5), Duration.ZERO, Duration.ofDays(1));
        reader.optionalPath("komainu.p");
        assertThat(reader.effective())
                .extracting(EffectiveSetting::line)
                .containsExactly(
                        "komainu.d: 5m  # default", "komainu.n: 5  # mockProperties", "komainu.p: none  # default");
    }
}
