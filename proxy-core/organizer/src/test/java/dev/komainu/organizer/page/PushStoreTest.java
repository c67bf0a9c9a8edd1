package dev.komainu.organizer.page;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.organizer.page.PageCounts.Kind;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Pushed responses: their life, their use, and the reported outcomes. */
class PushStoreTest {

    private static final String PAGE = "h.example/";

    private final SetClock clock = new SetClock();
    private final PageCounts counts = new PageCounts();
    private final PushStore hand =
            new PushStore(new PageSettings(0, 100_000, Duration.ofSeconds(10)), clock, counts);

    private WholeResponse answer(int bytes, long freshSeconds) {
        return new WholeResponse(
                new DefaultHttp2Headers(),
                new byte[bytes],
                new Freshness(
                        freshSeconds,
                        0,
                        clock.steadyMillis(),
                        false,
                        false,
                        true,
                        0,
                        0,
                        clock.wallMillis()),
                null,
                null,
                null);
    }

    private PushStore.Arriving expect(String url, long number) {
        PushStore.Arriving coming = hand.expect(PAGE, url, "web", number);
        assertThat(coming).isNotNull();
        return coming;
    }

    private void arrives(String url, long number, int bytes, long freshSeconds) {
        PushStore.Arriving coming = expect(url, number);
        assertThat(coming.received(bytes)).isTrue();
        coming.arrived(answer(bytes, freshSeconds));
    }

    private PageRequestHint hint() {
        return PageRequestHint.parse(hand.hint(PAGE, "web"));
    }

    @Test
    void arrived_isHereUntilItsLifeEnds_andWasWasted() {
        arrives("h.example/a", 1, 100, 3_600);
        clock.pass(9_999);
        assertThat(hand.find("h.example/a")).isInstanceOf(PushStore.Stored.class);
        clock.pass(1);
        assertThat(hand.find("h.example/a")).isNull();
        assertThat(hint()).isEqualTo(new PageRequestHint(List.of(), List.of(1L), List.of()));
        assertThat(counts.of(Kind.WASTED)).isEqualTo(1);
        assertThat(counts.of(Kind.WASTED_BYTES)).isEqualTo(100);
        assertThat(hand.isEmpty()).isTrue();
        assertThat(hand.heldBytes()).isZero();
    }

    @Test
    void freshForLessThanItsLife_goesWhenItIsStale() {
        arrives("h.example/a", 1, 100, 3);
        clock.pass(2_999);
        assertThat(hand.find("h.example/a")).isInstanceOf(PushStore.Stored.class);
        clock.pass(1);
        assertThat(hand.find("h.example/a")).isNull();
    }

    @Test
    void used_isSaidOnce_andHeldAsLongAsItIsHere() {
        arrives("h.example/a", 7, 100, 3_600);
        hand.used("h.example/a");
        hand.used("h.example/a");
        assertThat(hint()).isEqualTo(new PageRequestHint(List.of(7L), List.of(), List.of(7L)));
        assertThat(hint()).isEqualTo(new PageRequestHint(List.of(), List.of(), List.of(7L)));
        assertThat(PageRequestHint.parse(hand.hint("h.example/other", "web")))
                .isEqualTo(PageRequestHint.NOTHING);
        assertThat(PageRequestHint.parse(hand.hint(PAGE, "another")))
                .isEqualTo(PageRequestHint.NOTHING);
        clock.pass(10_000);
        assertThat(hint()).isEqualTo(PageRequestHint.NOTHING);
        assertThat(counts.of(Kind.WASTED)).isZero();
    }

    @Test
    void ruledByLess_theOldestGoes_ruledByNothing_nothingIsTaken() {
        arrives("h.example/a", 1, 4_000, 3_600);
        arrives("h.example/b", 2, 4_000, 3_600);
        hand.reload(new PageSettings(0, 6_000, Duration.ofSeconds(10)));
        assertThat(hand.find("h.example/a")).isNull();
        assertThat(hand.find("h.example/b")).isInstanceOf(PushStore.Stored.class);
        hand.reload(new PageSettings(0, 0, Duration.ofSeconds(10)));
        assertThat(hand.isEmpty()).isTrue();
        assertThat(hand.isEnabled()).isFalse();
        assertThat(hand.expect(PAGE, "h.example/c", "web", 3)).isNull();
        hand.reload(new PageSettings(0, 100_000, Duration.ofSeconds(10)));
        arrives("h.example/c", 4, 4_000, 3_600);
        assertThat(hand.find("h.example/c")).isInstanceOf(PushStore.Stored.class);
    }

    @Test
    void whoWaits_hearsOfItsComing_andOfItsFailure() {
        List<String> heard = new ArrayList<>();
        PushStore.Arriving one = expect("h.example/a", 1);
        PushStore.Arriving two = expect("h.example/b", 2);
        assertThat(hand.find("h.example/a")).isInstanceOf(PushStore.Arriving.class);
        one.whenOver(() -> heard.add("a"));
        two.whenOver(() -> heard.add("b"));
        assertThat(heard).isEmpty();
        one.arrived(answer(10, 60));
        assertThat(heard).containsExactly("a");
        two.failed();
        two.failed();
        assertThat(heard).containsExactly("a", "b");
        one.whenOver(() -> heard.add("late"));
        assertThat(heard).containsExactly("a", "b", "late");
        assertThat(hand.find("h.example/b")).isNull();
    }

    @Test
    void whatIsHereOrComes_isNotExpectedTwice() {
        expect("h.example/a", 1);
        assertThat(hand.expect(PAGE, "h.example/a", "web", 2)).isNull();
        arrives("h.example/b", 3, 10, 60);
        assertThat(hand.expect(PAGE, "h.example/b", "web", 4)).isNull();
        clock.pass(10_000);
        assertThat(hand.expect(PAGE, "h.example/b", "web", 5)).isNotNull();
    }

    @Test
    void noRoom_theOldestGoes_andWhatComesTakesHalfAtMost() {
        for (int i = 0; i < 10; i++) {
            arrives("h.example/" + i, i, 20_000, 60);
            assertThat(hand.heldBytes()).isLessThanOrEqualTo(100_000);
        }
        assertThat(hand.find("h.example/9")).isInstanceOf(PushStore.Stored.class);
        assertThat(hand.find("h.example/0")).isNull();
        assertThat(hint().unused()).contains(0L, 1L);
        PushStore.Arriving large = expect("h.example/large", 11);
        assertThat(large.received(50_000)).isTrue();
        assertThat(hand.heldBytes()).isLessThanOrEqualTo(100_000);
        assertThat(large.received(1)).isFalse();
        large.failed();
        assertThat(hand.heldBytes()).isLessThanOrEqualTo(50_000);
    }

    @Test
    void purged_isGone_whoWaitsGoesOn_andNothingIsTakenForAMoment() {
        List<String> heard = new ArrayList<>();
        arrives("h.example/a", 1, 100, 60);
        arrives("other.example/a", 2, 100, 60);
        PushStore.Arriving coming = expect("h.example/b", 3);
        coming.whenOver(() -> heard.add("b"));
        hand.purge(PurgeOrder.of(PurgeOrder.prefix("h.example")));
        assertThat(heard).containsExactly("b");
        assertThat(hand.find("h.example/a")).isNull();
        assertThat(hand.find("h.example/b")).isNull();
        assertThat(hand.find("other.example/a")).isInstanceOf(PushStore.Stored.class);
        assertThat(coming.received(1)).isFalse();
        coming.arrived(answer(10, 60));
        assertThat(hand.find("h.example/b")).isNull();
        assertThat(hand.expect(PAGE, "h.example/b", "web", 4)).isNull();
        clock.pass(2_000);
        assertThat(hand.expect(PAGE, "h.example/b", "web", 5)).isNotNull();
        assertThat(hint().unused()).isEmpty();
        assertThat(counts.of(Kind.PURGED)).isEqualTo(2);
    }

    @Test
    void purges_ofOneUrl_ofAll_andOfLabels() {
        arrives("h.example/a?x=1", 1, 10, 60);
        arrives("h.example/b", 2, 10, 60);
        hand.purge(new PurgeOrder(PurgeOrder.url("http://h.example/a?x=1"), false, true));
        assertThat(hand.find("h.example/a?x=1")).isNotNull();
        hand.purge(PurgeOrder.of(PurgeOrder.url("http://H.example:80/a?x=1")));
        assertThat(hand.find("h.example/a?x=1")).isNull();
        assertThat(hand.find("h.example/b")).isNotNull();
        hand.purge(PurgeOrder.of(PurgeOrder.tags(List.of("some"))));
        assertThat(hand.isEmpty()).isTrue();
        assertThat(hand.heldBytes()).isZero();
    }

    /**
     * Any interleaving: each waiter continues exactly once, and the byte count is right at the end.
     */
    @Test
    void allAtOnce_fromManyThreads_noWaiterIsForgotten() throws Exception {
        int threads = 4;
        AtomicInteger waited = new AtomicInteger();
        AtomicInteger wentOn = new AtomicInteger();
        AtomicLong numbers = new AtomicLong();
        CyclicBarrier begin = new CyclicBarrier(threads);
        try (ExecutorService all = Executors.newFixedThreadPool(threads)) {
            List<Future<?>> done = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                Random random = new Random(thread);
                done.add(all.submit(() -> {
                    begin.await(60, TimeUnit.SECONDS);
                    for (int i = 0; i < 5_000; i++) {
                        String url = "h.example/" + random.nextInt(4);
                        PushStore.Arriving made =
                                hand.expect(PAGE, url, "web", numbers.incrementAndGet());
                        if (hand.find(url) instanceof PushStore.Arriving coming) {
                            waited.incrementAndGet();
                            coming.whenOver(wentOn::incrementAndGet);
                        }
                        if (random.nextInt(3) == 0) {
                            hand.invalidate("h.example/" + random.nextInt(4));
                        }
                        if (made != null && made.received(100) && random.nextBoolean()) {
                            made.arrived(answer(100, 60));
                        } else if (made != null) {
                            made.failed();
                        }
                        hand.used(url);
                        hand.hint(PAGE, "web");
                    }
                    return null;
                }));
            }
            for (Future<?> one : done) {
                one.get(60, TimeUnit.SECONDS);
            }
        }
        assertThat(waited.get()).isPositive();
        assertThat(wentOn.get()).isEqualTo(waited.get());
        hand.purge(PurgeOrder.of(PurgeOrder.everything()));
        assertThat(hand.heldBytes()).isZero();
        assertThat(hand.isEmpty()).isTrue();
    }

    @Test
    void changed_isGone() {
        arrives("h.example/a", 1, 10, 60);
        arrives("h.example/b", 2, 10, 60);
        hand.invalidate("h.example/a");
        assertThat(hand.find("h.example/a")).isNull();
        assertThat(hand.find("h.example/b")).isNotNull();
    }
}
