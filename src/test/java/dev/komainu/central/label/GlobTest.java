package dev.komainu.central.label;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTest {

    @ParameterizedTest
    @CsvSource({
        "web-01:80, web-01:80, true",
        "web-*, web-01:80, true",
        "*:80, web-01:8080, false",
        "*:80, web-01:80, true",
        "*, '', true",
        "w*b*:80, web-01-b:80, true",
        "w*b*:80, web-01-b:81, false",
        "web-01:80, web-01:80x, false",
        "a.c, abc, false",
    })
    void matches_pattern_asExpectedByUsers(String pattern, String name, boolean matches) {
        assertThat(Glob.matches(pattern, name)).isEqualTo(matches);
    }
}
