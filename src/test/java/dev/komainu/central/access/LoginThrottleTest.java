package dev.komainu.central.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** Tests that repeated failures are slowed down and other logins are not. */
class LoginThrottleTest {

    private static final AccessSettings SETTINGS = new AccessSettings(
            Duration.ofHours(8), Duration.ofDays(7), 3, 400, Path.of("unused"), null);

    private Instant now = Instant.parse("2026-11-21T00:00:00Z");
    private final InstantSource source = () -> now;
    private final Clock clock = source.withZone(ZoneOffset.UTC);
    private final LoginThrottle throttle = new LoginThrottle(SETTINGS, clock);

    @Test
    void delay_afterAsManyFailuresAsAllowed_lastsUntilTheMinuteIsOver() {
        for (int i = 0; i < 3; i++) {
            assertThat(throttle.delay("a", "192.0.2.1")).isEmpty();
            throttle.failed("a", "192.0.2.1");
        }

        now = now.plusSeconds(20);
        assertThat(throttle.delay("a", "192.0.2.1")).contains(Duration.ofSeconds(40));
        now = now.plusSeconds(40);
        assertThat(throttle.delay("a", "192.0.2.1")).isEmpty();
    }

    @Test
    void delay_otherNameOrOtherAddress_isNone() {
        for (int i = 0; i < 3; i++) {
            throttle.failed("a", "192.0.2.1");
        }

        assertThat(throttle.delay("b", "192.0.2.1")).isEmpty();
        assertThat(throttle.delay("a", "192.0.2.2")).isEmpty();
    }

    @Test
    void delay_manyNamesFromOneAddress_isSlowedToo() {
        for (int i = 0; i < 30; i++) {
            throttle.failed("name" + i, "192.0.2.1");
        }

        assertThat(throttle.delay("fresh", "192.0.2.1")).isPresent();
    }

    @Test
    void succeeded_afterFailures_forgetsThem() {
        throttle.failed("a", "192.0.2.1");
        throttle.failed("a", "192.0.2.1");
        throttle.succeeded("a", "192.0.2.1");
        throttle.failed("a", "192.0.2.1");
        throttle.failed("a", "192.0.2.1");

        assertThat(throttle.delay("a", "192.0.2.1")).isEmpty();
    }

    @Test
    void delay_clockSetBackByAnHour_isNotAnHourLonger() {
        for (int i = 0; i < 3; i++) {
            throttle.failed("a", "192.0.2.1");
        }
        now = now.minus(Duration.ofHours(1));

        assertThat(throttle.delay("a", "192.0.2.1")).isEmpty();
        for (int i = 0; i < 3; i++) {
            throttle.failed("a", "192.0.2.1");
        }
        assertThat(throttle.delay("a", "192.0.2.1")).contains(Duration.ofMinutes(1));
    }
}
