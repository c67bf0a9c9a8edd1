package dev.komainu.central.access;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The limits on failed logins. A browser that was logged in with the name before is limited by its
 * own failures only, so that strangers cannot lock it out (the device cookies of OWASP's "Slow Down
 * Online Guessing Attacks"). The attempts of all other browsers are limited four times:
 *
 * <table><caption>Limits; F is {@code komainu.access.login-failures}</caption>
 * <tr><th>by</th><th>failures until the first wait</th></tr>
 * <tr><td>known browser, or session</td><td>F</td></tr>
 * <tr><td>name from one network</td><td>F</td></tr>
 * <tr><td>network, any names</td><td>4 F</td></tr>
 * <tr><td>name, from anywhere</td><td>10 F</td></tr>
 * <tr><td>all</td><td>{@code komainu.access.login-attempts} a minute</td></tr>
 * </table>
 *
 * An attempt counts as a failure from its admission on, so that attempts at the same time do not
 * pass together; {@link #succeeded} takes it back. A refused attempt counts nothing. A wrong code
 * of a login in two steps counts as one. Any thread.
 */
@Component
public class LoginThrottle {

    static final int MOST_COUNTS = 10_000;
    private static final int NAMES_PER_NETWORK = 4;
    private static final int NETWORKS_PER_NAME = 10;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final AccessSettings settings;
    private final Clock clock;

    /** Guarded by {@code this}, like all below. */
    private final FailureCounts strangers = new FailureCounts(MOST_COUNTS);
    /** Of known browsers and sessions. Strangers cannot add a key here. */
    private final FailureCounts known = new FailureCounts(MOST_COUNTS);

    private Instant minute = Instant.MIN;
    private int attempts;

    public LoginThrottle(AccessSettings settings, Clock clock) {
        this.settings = settings;
        this.clock = clock;
    }

    /** The answer to a request for an attempt. */
    sealed interface Admission {
        /** The attempt may be made. Its failure is counted already. */
        record Admitted(@Nullable String browser, String pair, String network, String name)
                implements Admission {}

        /** The attempt must not be made now. */
        record Wait(Duration after) implements Admission {}
    }

    /**
     * Admits an attempt or refuses it.
     *
     * @param browser id of a browser that was logged in with this name before; absent: a stranger
     */
    synchronized Admission admit(String name, @Nullable String address, @Nullable String browser) {
        Instant now = clock.instant();
        if (browser != null
                && known.remaining(browser, settings.loginFailures(), now).isZero()) {
            known.add(browser, now);
            return new Admission.Admitted(browser, "", "", "");
        }
        Admission.Admitted admitted = stranger(name, address);
        Optional<Duration> wait = Stream.of(
                        strangers.remaining(admitted.pair(), settings.loginFailures(), now),
                        strangers.remaining(
                                admitted.network(),
                                settings.loginFailures() * NAMES_PER_NETWORK,
                                now),
                        strangers.remaining(
                                admitted.name(), settings.loginFailures() * NETWORKS_PER_NAME, now),
                        untilNextMinute(now))
                .filter(Duration::isPositive)
                .max(Duration::compareTo);
        if (wait.isPresent()) {
            return new Admission.Wait(wait.get());
        }
        count(admitted, now);
        return admitted;
    }

    private void count(Admission.Admitted stranger, Instant now) {
        for (String key : List.of(stranger.pair(), stranger.network(), stranger.name())) {
            strangers.add(key, now);
        }
        attempts++;
    }

    /** Admits an attempt in a session: a check of the password of a user who is logged in. */
    synchronized Admission admit(Session session) {
        Instant now = clock.instant();
        String key = "session " + session.key();
        Duration wait = known.remaining(key, settings.loginFailures(), now);
        if (wait.isPositive()) {
            return new Admission.Wait(wait);
        }
        known.add(key, now);
        return new Admission.Admitted(key, "", "", "");
    }

    /** Takes the failure of an attempt back: it succeeded. */
    synchronized void succeeded(Admission.Admitted attempt) {
        if (attempt.browser() != null) {
            known.forget(attempt.browser());
        } else {
            strangers.forget(attempt.pair());
            takeBack(attempt);
        }
    }

    /**
     * Takes the failure of an attempt back: nothing was checked, or the password was right and a
     * code must follow. Earlier failures remain.
     */
    synchronized void cancelled(Admission.Admitted attempt) {
        if (attempt.browser() != null) {
            known.takeBack(attempt.browser());
        } else {
            strangers.takeBack(attempt.pair());
            takeBack(attempt);
        }
    }

    private void takeBack(Admission.Admitted attempt) {
        strangers.takeBack(attempt.network());
        strangers.takeBack(attempt.name());
        attempts = Math.max(0, attempts - 1);
    }

    /**
     * Counts a wrong code of a login whose password was right, like a wrong password. The number of
     * codes itself is limited by {@link PendingLogins}.
     */
    synchronized void wrongCode(String name, @Nullable String address, @Nullable String browser) {
        Instant now = clock.instant();
        if (browser != null) {
            known.add(browser, now);
        } else {
            count(stranger(name, address), now);
        }
    }

    /** Forgets the failures of a browser whose password and code were right. */
    synchronized void rightCode(String name, @Nullable String address, @Nullable String browser) {
        if (browser != null) {
            known.forget(browser);
        } else {
            strangers.forget(stranger(name, address).pair());
        }
    }

    /** Returns the counts of a stranger. */
    private static Admission.Admitted stranger(String name, @Nullable String address) {
        // All texts that cannot be a name share one count.
        String counted = name.matches(Users.NAME) ? name : "?";
        String network = "network " + ClientNetwork.of(address);
        return new Admission.Admitted(
                null, "pair " + counted + " " + network, network, "name " + counted);
    }

    /** Returns the number of counts in memory. */
    synchronized int size() {
        return strangers.size() + known.size();
    }

    private Duration untilNextMinute(Instant now) {
        if (now.isBefore(minute) || !now.isBefore(minute.plus(MINUTE))) {
            minute = now;
            attempts = 0;
        }
        return attempts < settings.loginAttempts()
                ? Duration.ZERO
                : Duration.between(now, minute.plus(MINUTE));
    }
}
