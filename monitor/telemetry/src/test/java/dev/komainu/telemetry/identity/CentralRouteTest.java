package dev.komainu.telemetry.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CentralRouteTest {

    private static final String PART = "agent@web-01";

    /** Begins just before the largest value: times of {@link System#nanoTime} may overflow. */
    private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1_000);

    private final CentralAddresses addresses =
            CentralAddresses.parse("https://a:1 https://b:1 https://c:1");
    private final CentralRoute route = route(1);
    private final List<URI> order = addresses.preferredBy(PART);
    private final URI first = order.get(0);
    private final URI second = order.get(1);
    private final URI third = order.get(2);

    private CentralRoute route(long seed) {
        return new CentralRoute(addresses, PART, now::get, new SplittableRandom(seed));
    }

    private void pass(Duration time) {
        now.addAndGet(time.toNanos());
    }

    private void leaveFirst() {
        route.failed(first, "down", Duration.ZERO);
        assertThat(route.answered(second)).isTrue();
    }

    @Test
    void start_isAtTheFirst_andStaysWhileItAnswers() {
        assertThat(route.next()).isEqualTo(order);
        assertThat(route.answered(first)).isFalse();
        pass(Duration.ofHours(1));
        assertThat(route.next().getFirst()).isEqualTo(first);
        assertThat(route.changes()).isZero();
    }

    @Test
    void failure_anotherStaysInUse_andTheFirstIsTriedAgainOnlyLater() {
        leaveFirst();
        assertThat(route.inUse()).isEqualTo(second);
        assertThat(route.changes()).isOne();
        pass(Duration.ofMinutes(5).minusMillis(1));
        assertThat(route.next()).containsExactly(second, first, third);

        pass(Duration.ofMinutes(1));
        assertThat(route.next()).containsExactly(first, second, third);
        assertThat(route.isProbe(first)).isTrue();
        assertThat(route.isProbe(second)).isFalse();
        assertThat(route.answered(first)).isTrue();
        assertThat(route.inUse()).isEqualTo(first);
        assertThat(route.changes()).isEqualTo(2);
    }

    @Test
    void probeFails_nextOneFollowsAfterTheSameTime() {
        leaveFirst();
        pass(Duration.ofMinutes(6));
        route.failed(first, "still down", Duration.ZERO);
        assertThat(route.next().getFirst()).isEqualTo(second);
        pass(Duration.ofMinutes(5).minusMillis(1));
        assertThat(route.next().getFirst()).isEqualTo(second);
        pass(Duration.ofMinutes(1));
        assertThat(route.next().getFirst()).isEqualTo(first);
    }

    @Test
    void partsThatLeftTogether_doNotReturnTogether() {
        Duration step = Duration.ofSeconds(10);
        List<CentralRoute> fleet =
                new SplittableRandom(7).longs(100).mapToObj(this::route).toList();
        fleet.forEach(each -> {
            each.failed(first, "down", Duration.ZERO);
            each.answered(second);
        });
        pass(Duration.ofMinutes(5));
        long before = 0;
        for (int i = 0; i < 6; i++) {
            pass(step);
            long returned = fleet.stream()
                    .filter(each -> each.next().getFirst().equals(first))
                    .count();
            assertThat(returned - before).isBetween(5L, 35L);
            before = returned;
        }
        assertThat(before).isEqualTo(100);
    }

    @Test
    void oneInUseFails_everyOtherIsAskedAtOnce_andNoneIsAProbe() {
        leaveFirst();
        route.failed(second, "down", Duration.ZERO);
        assertThat(route.next()).containsExactly(second, first, third);
        assertThat(route.isProbe(first)).isFalse();
        assertThat(route.isProbe(third)).isFalse();
        assertThat(route.answered(third)).isTrue();
        assertThat(route.next().getFirst()).isEqualTo(third);
    }

    @Test
    void retryAfter_countsForItsAddressAlone() {
        route.failed(first, "503", Duration.ofSeconds(30));
        route.failed(second, "503", Duration.ofSeconds(10));
        assertThat(route.next()).containsExactly(third);
        assertThat(route.untilNext()).isZero();
        assertThat(route.asked()).isEqualTo(Duration.ofSeconds(10));

        route.failed(third, "503", Duration.ofSeconds(20));
        assertThat(route.next()).isEmpty();
        assertThat(route.untilNext()).isEqualTo(Duration.ofSeconds(10));
        pass(Duration.ofSeconds(10).minusNanos(1));
        assertThat(route.next()).isEmpty();
        assertThat(route.untilNext()).as("rounded up").isEqualTo(Duration.ofMillis(1));
        pass(Duration.ofNanos(1));
        assertThat(route.next()).containsExactly(second);
        pass(Duration.ofSeconds(20));
        assertThat(route.next()).isEqualTo(order);
    }

    @Test
    void failures_nameEachAddress_untilItAnswers() {
        route.failed(first, "refused", Duration.ZERO);
        route.failed(third, "timeout", Duration.ZERO);
        assertThat(route.failures()).isEqualTo(first + ": refused; " + third + ": timeout");
        route.answered(first);
        assertThat(route.failures()).isEqualTo(third + ": timeout");
    }

    @Test
    void singleAddress_isAlwaysReturned() {
        CentralRoute single = new CentralRoute(
                CentralAddresses.parse("http://a:1"), PART, now::get, new SplittableRandom());
        single.failed(URI.create("http://a:1"), "503", Duration.ofSeconds(30));
        assertThat(single.next()).hasSize(1);
        assertThat(single.failures()).isEqualTo("503");
        assertThat(single.changes()).isZero();
    }
}
