package dev.komainu.organizer.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Given requests from pages, expect pushes with these pages. */
class PageLearnerTest {

    private static final PageRequestHint ASKS = PageRequestHint.NOTHING;
    private static final String PAGE = "h.example/";

    private final SetClock clock = new SetClock();
    private final PageLearner book = new PageLearner(PageSettings.DEFAULT, clock::steadyMillis);

    /** Loads a page near the server, with these objects. */
    private void load(String page, String... objects) {
        book.loaded(page, null);
        for (String object : objects) {
            book.followed(page, object, 100);
        }
    }

    private List<String> pushed(String page) {
        return urls(book.loaded(page, ASKS));
    }

    private static List<String> urls(List<PageLearner.PushCandidate> needed) {
        return needed.stream().map(PageLearner.PushCandidate::url).toList();
    }

    private static PageRequestHint used(List<PageLearner.PushCandidate> needed) {
        return new PageRequestHint(
                needed.stream().map(PageLearner.PushCandidate::number).toList(),
                List.of(),
                List.of());
    }

    private static PageRequestHint left(List<PageLearner.PushCandidate> needed) {
        return new PageRequestHint(
                List.of(),
                needed.stream().map(PageLearner.PushCandidate::number).toList(),
                List.of());
    }

    private static PageRequestHint held(List<PageLearner.PushCandidate> needed) {
        return new PageRequestHint(
                List.of(),
                List.of(),
                needed.stream().map(PageLearner.PushCandidate::number).toList());
    }

    @Test
    void seenOnce_isNotPushed_seenTwiceIs_inOrder() {
        assertThat(pushed(PAGE)).isEmpty();
        book.followed(PAGE, "h.example/b", 100);
        book.followed(PAGE, "h.example/a", 100);
        load(PAGE, "h.example/a", "h.example/b");
        assertThat(pushed(PAGE)).containsExactly("h.example/b", "h.example/a");
    }

    @Test
    void oneOfManyVisitorsObjects_isNeverPushed() {
        for (int visitor = 0; visitor < 40; visitor++) {
            load(PAGE, "h.example/css", "h.example/avatar/" + visitor);
        }
        assertThat(pushed(PAGE)).containsExactly("h.example/css");
    }

    @Test
    void oneVisitorReloads_hisObjectCountsOncePerLoad() {
        load(PAGE, "h.example/mine", "h.example/mine", "h.example/mine", "h.example/mine");
        assertThat(pushed(PAGE)).isEmpty();
    }

    @Test
    void neededByLessThanHalf_isNotPushed() {
        for (int i = 0; i < 12; i++) {
            load(PAGE, i % 3 == 0 ? "h.example/seldom" : "h.example/often");
        }
        assertThat(pushed(PAGE)).containsExactly("h.example/often");
    }

    @Test
    void requestedTooLate_isNotPartOfThePage() {
        for (int i = 0; i < 4; i++) {
            book.loaded(PAGE, null);
            clock.pass(PageLearner.FOLLOWS_MILLIS + 1);
            assertThat(book.isLoading(PAGE)).isFalse();
            book.followed(PAGE, "h.example/poll", 100);
        }
        assertThat(pushed(PAGE)).isEmpty();
        assertThat(book.figures().objects()).isZero();
    }

    @Test
    void pageChanges_formerObjectsAreForgotten_newOnesLearnt() {
        for (int i = 0; i < 30; i++) {
            load(PAGE, "h.example/v1.css");
        }
        assertThat(pushed(PAGE)).containsExactly("h.example/v1.css");
        for (int i = 0; i < PageLearner.RECENT; i++) {
            load(PAGE, "h.example/v2.css");
        }
        assertThat(pushed(PAGE)).containsExactly("h.example/v2.css");
    }

    @Test
    void pushedAndLeft_isLearntDown_andComesBackWhenItIsAskedFor() {
        for (int i = 0; i < 30; i++) {
            load(PAGE, "h.example/a");
        }
        int wasted = 0;
        List<PageLearner.PushCandidate> needed = book.loaded(PAGE, ASKS);
        while (!needed.isEmpty() && wasted < 100) {
            wasted++;
            book.onHint(left(needed));
            needed = book.loaded(PAGE, ASKS);
        }
        assertThat(wasted).isLessThanOrEqualTo(PageLearner.RECENT);
        for (int i = 0; i < PageLearner.RECENT; i++) {
            load(PAGE, "h.example/a");
        }
        assertThat(pushed(PAGE)).containsExactly("h.example/a");
    }

    @Test
    void pushedAndUsed_staysWithoutRequestsToTheServer() {
        load(PAGE, "h.example/a");
        load(PAGE, "h.example/a");
        for (int i = 0; i < 100; i++) {
            List<PageLearner.PushCandidate> needed = book.loaded(PAGE, ASKS);
            assertThat(urls(needed)).containsExactly("h.example/a");
            book.onHint(used(needed));
        }
    }

    @Test
    void pushesWithoutAnOutcome_countNeitherForNorAgainst() {
        load(PAGE, "h.example/a");
        load(PAGE, "h.example/a");
        for (int i = 0; i < 100; i++) {
            assertThat(pushed(PAGE)).containsExactly("h.example/a");
        }
    }

    @Test
    void onePushSpokenOfTwice_countsOnce() {
        load(PAGE, "h.example/a");
        load(PAGE, "h.example/a");
        List<PageLearner.PushCandidate> needed = book.loaded(PAGE, ASKS);
        for (int i = 0; i < 50; i++) {
            book.onHint(left(needed));
        }
        assertThat(pushed(PAGE)).containsExactly("h.example/a");
    }

    @Test
    void heldByTheAsker_isNotPushedAgain_toOthersItIs() {
        load(PAGE, "h.example/a", "h.example/b");
        load(PAGE, "h.example/a", "h.example/b");
        List<PageLearner.PushCandidate> needed = book.loaded(PAGE, ASKS);
        assertThat(urls(book.loaded(PAGE, held(needed.subList(0, 1)))))
                .containsExactly("h.example/b");
        assertThat(pushed(PAGE)).hasSize(2);
    }

    @Test
    void heldNumbersOfAnotherLife_nameNothing() {
        load(PAGE, "h.example/a");
        load(PAGE, "h.example/a");
        assertThat(urls(book.loaded(
                        PAGE, new PageRequestHint(List.of(1L), List.of(2L), List.of(3L)))))
                .hasSize(1);
    }

    @Test
    void unfit_isForgotten() {
        load(PAGE, "h.example/a", "h.example/b");
        load(PAGE, "h.example/a", "h.example/b");
        book.rejectObject(book.loaded(PAGE, ASKS).getFirst().number());
        assertThat(pushed(PAGE)).containsExactly("h.example/b");
        assertThat(book.figures().objects()).isEqualTo(1);
    }

    @Test
    void revalidated_keepsWhatIsKnown_andTeachesNothingNew() {
        load(PAGE, "h.example/a");
        book.loaded(PAGE, null);
        book.revalidated(PAGE, "h.example/a");
        book.revalidated(PAGE, "h.example/b");
        assertThat(pushed(PAGE)).containsExactly("h.example/a");
    }

    @Test
    void bytesOfAPage_areBounded_smallerOnesStillGo() {
        PageLearner small = new PageLearner(
                new PageSettings(1_000, 0, PageSettings.DEFAULT.life()), clock::steadyMillis);
        for (int i = 0; i < 2; i++) {
            small.loaded(PAGE, null);
            small.followed(PAGE, "h.example/a", 700);
            small.followed(PAGE, "h.example/b", 400);
            small.followed(PAGE, "h.example/c", 300);
            small.followed(PAGE, "h.example/huge", PageLearner.MAX_OBJECT_BYTES + 1L);
        }
        assertThat(urls(small.loaded(PAGE, ASKS))).containsExactly("h.example/a", "h.example/c");
        small.reload(new PageSettings(1_400, 0, PageSettings.DEFAULT.life()));
        assertThat(urls(small.loaded(PAGE, ASKS)))
                .containsExactly("h.example/a", "h.example/b", "h.example/c");
    }

    @Test
    void objectsOfAPage_areBounded_andTheSeldomOneGoes() {
        String[] many = new String[PageLearner.MAX_OBJECTS];
        for (int i = 0; i < many.length; i++) {
            many[i] = "h.example/" + i;
        }
        load(PAGE, many);
        load(PAGE, many);
        load(PAGE, "h.example/late");
        assertThat(book.figures().objects()).isEqualTo(PageLearner.MAX_OBJECTS);
        assertThat(pushed(PAGE)).hasSize(PageLearner.MAX_OBJECTS).doesNotContain("h.example/late");
    }

    @Test
    void pagesWithoutEnd_areBounded_theLatestStay() {
        String path = "x".repeat(900);
        for (int i = 0; i < 8_000; i++) {
            String page = "h.example/" + i + "/" + path;
            load(page, page + "/a");
            load(page, page + "/a");
        }
        assertThat(book.figures().heapBytes())
                .isBetween(PageLearner.MAX_HEAP / 2, PageLearner.MAX_HEAP);
        assertThat(pushed("h.example/7999/" + path)).hasSize(1);
        assertThat(pushed("h.example/0/" + path)).isEmpty();
        book.loaded("h.example/" + "y".repeat(PageLearner.MAX_URL), ASKS);
        assertThat(book.isLoading("h.example/" + "y".repeat(PageLearner.MAX_URL)))
                .isFalse();
    }

    @Test
    void referers_namePagesAsRequestsDo() {
        assertThat(PageLearner.pageOf("http://H.example:80/a?b=c")).isEqualTo("h.example/a?b=c");
        assertThat(PageLearner.pageOf("https://h.example:443/a#x")).isEqualTo("h.example/a");
        assertThat(PageLearner.pageOf("http://h.example:8080/")).isEqualTo("h.example:8080/");
        assertThat(PageLearner.pageOf("http://h.example/@me")).isEqualTo("h.example/@me");
        assertThat(PageLearner.pageOf("http://user@h.example/")).isNull();
        assertThat(PageLearner.pageOf("http://h.example")).isNull();
        assertThat(PageLearner.pageOf("http:///a")).isNull();
        assertThat(PageLearner.pageOf("about:blank")).isNull();
        assertThat(PageLearner.pageOf("")).isNull();
        assertThat(PageLearner.pageOf(null)).isNull();
    }

    @Test
    void allAtOnce_fromManyThreads_nothingIsLost() throws Exception {
        int threads = 4;
        CyclicBarrier begin = new CyclicBarrier(threads);
        try (ExecutorService all = Executors.newFixedThreadPool(threads)) {
            List<Future<?>> done = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                String own = "h.example/" + thread;
                done.add(all.submit(() -> {
                    begin.await(60, TimeUnit.SECONDS);
                    for (int i = 0; i < 500; i++) {
                        List<PageLearner.PushCandidate> needed = book.loaded(PAGE, ASKS);
                        book.followed(PAGE, "h.example/all", 10);
                        book.onHint(used(needed));
                        load(own, own + "/a", own + "/b");
                    }
                    return null;
                }));
            }
            for (Future<?> one : done) {
                one.get(60, TimeUnit.SECONDS);
            }
        }
        assertThat(pushed(PAGE)).containsExactly("h.example/all");
        for (int thread = 0; thread < threads; thread++) {
            assertThat(pushed("h.example/" + thread)).hasSize(2);
        }
        assertThat(book.figures().pages()).isEqualTo(threads + 1);
        assertThat(book.figures().objects()).isEqualTo(2 * threads + 1);
    }
}
