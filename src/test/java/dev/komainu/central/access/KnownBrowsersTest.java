package dev.komainu.central.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.control.ControlEngine;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tests that the mark of a known browser cannot be forged, moved to another name or kept. */
@ParameterizedClass
@EnumSource
class KnownBrowsersTest {

    private Instant now = Instant.parse("2026-11-21T00:00:00Z");
    private final InstantSource source = () -> now;
    private final JdbcClient jdbc;
    private final KnownBrowsers browsers;

    KnownBrowsersTest(ControlEngine engine) {
        jdbc = JdbcClient.create(engine.fresh());
        browsers = fresh();
    }

    private KnownBrowsers fresh() {
        return new KnownBrowsers(jdbc, source.withZone(ZoneOffset.UTC));
    }

    @Test
    void mark_ofItsName_isKnownAlsoAfterARestart() {
        String mark = browsers.issue("keiko");

        assertThat(browsers.find("keiko", mark)).isPresent();
        assertThat(fresh().find("keiko", mark)).isEqualTo(browsers.find("keiko", mark));
    }

    @Test
    void mark_stolenFromAnotherName_isWorthNothing() {
        String mark = browsers.issue("mallory");

        assertThat(browsers.find("admin", mark)).isEmpty();
    }

    @Test
    void mark_forgedOrChanged_isWorthNothing() {
        String[] parts = browsers.issue("keiko").split("\\.");

        assertThat(browsers.find("keiko", parts[0] + "x." + parts[1] + "." + parts[2]))
                .isEmpty();
        assertThat(browsers.find("keiko", parts[0] + ".99999999999." + parts[2]))
                .isEmpty();
        assertThat(browsers.find("keiko", parts[0] + "." + parts[1] + ".")).isEmpty();
        assertThat(browsers.find("keiko", "..")).isEmpty();
        assertThat(browsers.find("keiko", "x".repeat(1_000_000))).isEmpty();
        assertThat(browsers.find("keiko", null)).isEmpty();
    }

    @Test
    void mark_expired_isWorthNothing() {
        String mark = browsers.issue("keiko");
        now = now.plus(KnownBrowsers.LIFE);

        assertThat(browsers.find("keiko", mark)).isEmpty();
    }
}
