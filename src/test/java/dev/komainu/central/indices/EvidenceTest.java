package dev.komainu.central.indices;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EvidenceTest {

    @ParameterizedTest
    @CsvSource({
        "0.953, share, 95.3 %",
        "0.95, share, 95 %",
        "19.62, share, 1962 %",
        "0.5, percent, 0.5 %",
        "1500000, B, 1.50 MB",
        "7.752, ratio, 7.75×",
        "120, count, 120",
        "0.25, 1/s, 0.25/s",
        "41.5, ms, 41.5 ms",
        "NaN, ms, ?"
    })
    void figure_hasNoUnneededDigits(double value, String unit, String expected) {
        assertThat(Evidence.figure(value, unit)).isEqualTo(expected);
    }
}
