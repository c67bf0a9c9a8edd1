package dev.komainu.central.access;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The limit on failed logins. Above a number of failures within a minute, further attempts are
 * refused without a check until the minute is over. Failures are counted per name and address
 * (limit: the setting) and per address alone (limit: ten times the setting), so that attempts with
 * many names from one address are slowed, too. The map is bounded; the oldest count is removed
 * first.
 */
@Component
public class LoginThrottle {

    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final int MOST_COUNTS = 10_000;
    private static final int NAMES_PER_ADDRESS = 10;

    private final AccessSettings settings;
    private final Clock clock;

    /** Counts by name and address, and by address; guarded by {@code this}. */
    private final Map<String, Count> counts = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Count> eldest) {
            return size() > MOST_COUNTS;
        }
    };

    private record Count(Instant from, int failures) {}

    public LoginThrottle(AccessSettings settings, Clock clock) {
        this.settings = settings;
        this.clock = clock;
    }

    /** Returns the time until the next attempt is checked; empty when it is checked now. */
    public synchronized Optional<Duration> delay(String name, @Nullable String address) {
        Duration byName = remaining(key(name, address), settings.loginFailures());
        Duration byAddress =
                remaining(key("", address), settings.loginFailures() * NAMES_PER_ADDRESS);
        Duration longer = byName.compareTo(byAddress) > 0 ? byName : byAddress;
        return longer.isZero() ? Optional.empty() : Optional.of(longer);
    }

    synchronized void failed(String name, @Nullable String address) {
        count(key(name, address));
        count(key("", address));
    }

    synchronized void succeeded(String name, @Nullable String address) {
        counts.remove(key(name, address));
    }

    private Duration remaining(String key, int most) {
        Count count = counts.get(key);
        if (count == null || count.failures() < most) {
            return Duration.ZERO;
        }
        Duration left = Duration.between(clock.instant(), count.from().plus(WINDOW));
        // Longer than the window: the clock was set back. A client must not wait until the clock
        // reaches that time again.
        return left.isPositive() && left.compareTo(WINDOW) <= 0 ? left : Duration.ZERO;
    }

    private void count(String key) {
        Instant now = clock.instant();
        Count count = counts.get(key);
        if (count == null
                || !count.from().plus(WINDOW).isAfter(now)
                || count.from().isAfter(now)) {
            count = new Count(now, 0);
        }
        counts.put(key, new Count(count.from(), count.failures() + 1));
    }

    private static String key(String name, @Nullable String address) {
        return address + " " + (name.length() > 64 ? name.substring(0, 64) : name);
    }
}
