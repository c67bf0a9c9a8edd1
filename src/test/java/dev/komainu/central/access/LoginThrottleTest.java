package dev.komainu.central.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that guesses are slowed down and that strangers lock no known browser out. */
class LoginThrottleTest {

    private static final int FAILURES = 3;
    private static final int ATTEMPTS = 200;
    private static final String HERE = "192.0.2.1";
    private static final AccessSettings SETTINGS = new AccessSettings(
            Duration.ofHours(8),
            Duration.ofDays(7),
            FAILURES,
            ATTEMPTS,
            Duration.ofDays(1),
            Duration.ofDays(90),
            SecondFactorMode.OPTIONAL,
            400,
            Path.of("unused"),
            Path.of("unused"),
            null,
            List.of());

    private Instant now = Instant.parse("2026-11-21T00:00:00Z");
    private final InstantSource source = () -> now;
    private final Clock clock = source.withZone(ZoneOffset.UTC);
    private final LoginThrottle throttle = new LoginThrottle(SETTINGS, clock);

    private Duration fail(String name, String address, @Nullable String browser) {
        return throttle.admit(name, address, browser) instanceof LoginThrottle.Admission.Wait wait
                ? wait.after()
                : Duration.ZERO;
    }

    private Duration fail(String name, String address) {
        return fail(name, address, null);
    }

    private void succeed(String name, String address) {
        assertThat(throttle.admit(name, address, null))
                .isInstanceOfSatisfying(
                        LoginThrottle.Admission.Admitted.class, throttle::succeeded);
    }

    @Test
    void guesses_oneNameFromOneNetwork_waitTwiceAsLongEachTime() {
        for (int i = 0; i < FAILURES; i++) {
            assertThat(fail("a", HERE)).isZero();
        }

        assertThat(fail("a", HERE)).isEqualTo(Duration.ofSeconds(30));
        now = now.plusSeconds(20);
        assertThat(fail("a", HERE)).as("a refused attempt prolongs nothing").hasSeconds(10);
        now = now.plusSeconds(10);
        assertThat(fail("a", HERE)).isZero();
        assertThat(fail("a", HERE)).hasSeconds(60);
        now = now.plusSeconds(60);
        assertThat(fail("a", HERE)).isZero();
        assertThat(fail("a", HERE)).hasSeconds(120);
        for (int i = 0; i < 20; i++) {
            now = now.plus(FailureCounts.LONGEST_WAIT);
            assertThat(fail("a", HERE)).isZero();
        }
        assertThat(fail("a", HERE)).isEqualTo(FailureCounts.LONGEST_WAIT);
    }

    @Test
    void codes_wrongAfterTheRightPassword_countAsWrongPasswordsDo() {
        for (int i = 0; i < FAILURES; i++) {
            throttle.wrongCode("a", HERE, null);
        }
        assertThat(fail("a", HERE)).isEqualTo(Duration.ofSeconds(30));
        assertThat(fail("a", "192.0.2.99")).as("only from there").isZero();

        throttle.rightCode("a", HERE, null);

        assertThat(fail("a", HERE)).isZero();
    }

    @Test
    void codes_wrongInAKnownBrowser_countThereOnly() {
        for (int i = 0; i < FAILURES; i++) {
            throttle.wrongCode("a", HERE, "browser 1");
        }

        assertThat(throttle.admit("a", HERE, "browser 1"))
                .as("limited as a stranger from now on")
                .isInstanceOfSatisfying(
                        LoginThrottle.Admission.Admitted.class,
                        admitted -> assertThat(admitted.browser()).isNull());
        throttle.rightCode("a", HERE, "browser 1");
        assertThat(throttle.admit("a", HERE, "browser 1"))
                .isInstanceOfSatisfying(
                        LoginThrottle.Admission.Admitted.class,
                        admitted -> assertThat(admitted.browser()).isEqualTo("browser 1"));
    }

    @Test
    void password_rightWithACodeToFollow_takesOnlyItsOwnFailureBack() {
        for (int i = 0; i < FAILURES - 1; i++) {
            fail("a", HERE);
        }
        assertThat(throttle.admit("a", HERE, null))
                .isInstanceOfSatisfying(
                        LoginThrottle.Admission.Admitted.class, throttle::cancelled);

        assertThat(fail("a", HERE)).isZero();
        assertThat(fail("a", HERE)).isPositive();
    }

    @Test
    void guesses_allAtTheSameTime_passNoMoreThanOneAfterTheOther() {
        // None of them has been checked when the last one is admitted.
        long admitted =
                IntStream.range(0, 50).filter(i -> fail("a", HERE).isZero()).count();

        assertThat(admitted).isEqualTo(FAILURES);
    }

    @Test
    void guesses_manyNamesFromOneNetwork_areSlowedToo() {
        for (int i = 0; i < 4 * FAILURES; i++) {
            assertThat(fail("name" + i, HERE)).isZero();
        }

        assertThat(fail("fresh", HERE)).isPositive();
        assertThat(fail("fresh", "192.0.2.2")).isZero();
    }

    @Test
    void guesses_fromManyAddressesOfOneIpv6Network_countAsOne() {
        for (int i = 0; i < FAILURES; i++) {
            assertThat(fail("a", "2001:db8:1:2::" + i)).isZero();
        }

        assertThat(fail("a", "2001:db8:1:2:ffff:ffff:ffff:ffff")).isPositive();
        assertThat(fail("a", "2001:db8:1:3::1")).isZero();
    }

    @Test
    void guesses_ipv4MappedAddress_countsAsTheIpv4Address() {
        for (int i = 0; i < FAILURES; i++) {
            fail("a", HERE);
        }

        assertThat(fail("a", "::ffff:" + HERE)).isPositive();
    }

    @Test
    void guesses_oneNameFromManyNetworks_areSlowedToo() {
        for (int i = 0; i < 10 * FAILURES; i++) {
            assertThat(fail("a", "198.51.100." + i)).isZero();
        }

        assertThat(fail("a", "203.0.113.9")).isPositive();
        assertThat(fail("b", "203.0.113.9")).isZero();
    }

    @Test
    void guesses_manyNamesFromManyNetworks_areBoundedInAll() {
        for (int i = 0; i < ATTEMPTS; i++) {
            assertThat(fail("name" + i, "10.1." + i + ".1")).isZero();
        }

        assertThat(fail("fresh", "203.0.113.9")).hasSeconds(60);
        now = now.plusSeconds(60);
        assertThat(fail("fresh", "203.0.113.9")).isZero();
    }

    @Test
    void strangers_failForANameAndFromItsAddress_doNotStopItsKnownBrowser() {
        for (int i = 0; i < 10_000; i++) {
            fail("admin", HERE);
            fail("name" + i, "10." + (i >> 8) + "." + (i & 255) + ".1");
        }

        assertThat(fail("admin", HERE)).isPositive();
        assertThat(fail("admin", HERE, "browser 1")).isZero();
    }

    @Test
    void knownBrowser_stolenMark_guessesNoMoreThanAStranger() {
        for (int i = 0; i < FAILURES; i++) {
            assertThat(fail("admin", HERE, "browser 1")).isZero();
        }
        for (int i = 0; i < FAILURES; i++) {
            assertThat(fail("admin", HERE, "browser 1")).as("as a stranger").isZero();
        }

        assertThat(fail("admin", HERE, "browser 1")).isPositive();
        assertThat(fail("admin", HERE, "browser 2")).isZero();
    }

    @Test
    void memory_madeUpNamesAndNetworks_doNotGrowIt() {
        for (int i = 0; i < 3 * LoginThrottle.MOST_COUNTS; i++) {
            fail("n" + i, "10." + (i >> 16) + "." + (i >> 8 & 255) + "." + (i & 255));
            if (i % ATTEMPTS == 0) {
                now = now.plusSeconds(60);
            }
        }

        assertThat(throttle.size()).isLessThanOrEqualTo(LoginThrottle.MOST_COUNTS);
    }

    @Test
    void memory_textsThatCannotBeNames_shareOneCount() {
        for (int i = 0; i < FAILURES; i++) {
            assertThat(fail("Not A Name " + i + "x".repeat(100_000), HERE)).isZero();
        }

        assertThat(fail("nor \u0000 this", HERE)).isPositive();
    }

    @Test
    void succeeded_afterFailures_forgetsThem() {
        fail("a", HERE);
        fail("a", HERE);
        succeed("a", HERE);
        fail("a", HERE);
        fail("a", HERE);

        assertThat(fail("a", HERE)).isZero();
    }

    @Test
    void succeeded_withAnAccountOfOnesOwn_doesNotClearTheNetwork() {
        for (int i = 0; i < 4 * FAILURES - 1; i++) {
            assertThat(fail("name" + i, HERE)).isZero();
            succeed("mallory", HERE);
        }
        fail("last", HERE);

        assertThat(fail("fresh", HERE)).isPositive();
    }

    @Test
    void failures_anHourAgo_areForgotten() {
        for (int i = 0; i < FAILURES; i++) {
            fail("a", HERE);
        }
        now = now.plus(FailureCounts.KEPT);
        for (int i = 0; i < FAILURES; i++) {
            assertThat(fail("a", HERE)).isZero();
        }
    }

    @Test
    void wait_clockSetBackByAnHour_isOver() {
        for (int i = 0; i < FAILURES; i++) {
            fail("a", HERE);
        }
        now = now.minus(Duration.ofHours(1));

        for (int i = 0; i < FAILURES; i++) {
            assertThat(fail("a", HERE)).isZero();
        }
        assertThat(fail("a", HERE)).hasSeconds(30);
    }
}
