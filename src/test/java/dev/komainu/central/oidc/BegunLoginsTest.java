package dev.komainu.central.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Base64;
import org.junit.jupiter.api.Test;

/** Tests of the logins between their begin and the provider's answer. */
class BegunLoginsTest {

    private Instant now = Instant.parse("2026-11-28T10:00:00Z");
    private final InstantSource source = () -> now;
    private final Clock clock = source.withZone(ZoneOffset.UTC);
    private final BegunLogins logins = new BegunLogins(clock);

    @Test
    void take_cookieAndState_returnsTheLogin() {
        BegunLogin login = logins.begin("/services", "key");

        assertThat(logins.take(logins.seal(login), login.state())).contains(login);
    }

    @Test
    void take_secondTime_isEmpty() {
        BegunLogin login = logins.begin("/overview", null);
        String cookie = logins.seal(login);

        assertThat(logins.take(cookie, login.state())).isPresent();
        assertThat(logins.take(cookie, login.state())).isEmpty();
    }

    @Test
    void take_stateOfAnotherLogin_isEmptyAndUsesNoneUp() {
        BegunLogin login = logins.begin("/overview", null);
        BegunLogin other = logins.begin("/overview", null);

        assertThat(logins.take(logins.seal(login), other.state())).isEmpty();
        assertThat(logins.take(logins.seal(login), login.state())).isPresent();
    }

    @Test
    void take_absentOrForeignOrChangedCookie_isEmpty() {
        BegunLogin login = logins.begin("/overview", null);
        byte[] changed = Base64.getUrlDecoder().decode(logins.seal(login));
        changed[20] ^= 1;

        assertThat(logins.take(null, login.state())).isEmpty();
        assertThat(logins.take("", login.state())).isEmpty();
        assertThat(logins.take("not base64!", login.state())).isEmpty();
        assertThat(logins.take("A".repeat(5_000), login.state())).isEmpty();
        assertThat(logins.take(Base64.getUrlEncoder().encodeToString(changed), login.state()))
                .isEmpty();
        assertThat(logins.take(new BegunLogins(clock).seal(login), login.state()))
                .as("sealed by another process")
                .isEmpty();
    }

    @Test
    void take_afterTenMinutes_isEmpty() {
        BegunLogin login = logins.begin("/overview", null);
        String cookie = logins.seal(login);

        now = now.plus(BegunLogins.LIFE);

        assertThat(logins.take(cookie, login.state())).isEmpty();
    }

    @Test
    void take_clockSetBackBySecondsMeanwhile_returnsTheLogin() {
        BegunLogin login = logins.begin("/overview", null);
        String cookie = logins.seal(login);

        now = now.minus(Duration.ofSeconds(30));

        assertThat(logins.take(cookie, login.state())).isPresent();
    }

    @Test
    void seal_secrets_areNotReadable() {
        BegunLogin login = logins.begin("/overview", "session");

        String clear = new String(
                Base64.getUrlDecoder().decode(logins.seal(login)),
                java.nio.charset.StandardCharsets.ISO_8859_1);

        assertThat(clear)
                .doesNotContain(login.verifier())
                .doesNotContain(login.nonce())
                .doesNotContain("session");
    }
}
