package dev.komainu.intermediary.purge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.intermediary.caching.CacheKey;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PurgeLogTest {

    private final AtomicLong millis = new AtomicLong(1_000_000);
    private final PurgeLog one = new PurgeLog("one@1", millis::get);
    private final PurgeLog two = new PurgeLog("two@1", millis::get);

    private static PurgeOrder uri(String text) {
        return PurgeOrder.of(new PurgeOrder.Uri(CacheKey.of(text)));
    }

    private static PurgeLog.Entry issueAndDo(PurgeLog log, PurgeOrder order) {
        PurgeLog.Entry entry = log.issue(order);
        log.recordDone(entry);
        return entry;
    }

    private static void deliver(PurgeLog log, List<PurgeLog.Entry> entries) {
        for (PurgeLog.Entry entry : entries) {
            if (log.isNext(entry)) {
                log.begin(entry);
                log.recordDone(entry);
            }
        }
    }

    @Test
    void missingFrom_afterSomeOrders_returnsTheRestInOrder() {
        issueAndDo(one, uri("h/1"));
        deliver(two, one.missingFrom(two.lastNumbers(), 10));
        issueAndDo(one, uri("h/2"));
        issueAndDo(one, uri("h/3"));
        assertThat(one.missingFrom(two.lastNumbers(), 10))
                .extracting(PurgeLog.Entry::number)
                .containsExactly(2L, 3L);
        assertThat(one.missingFrom(two.lastNumbers(), 1))
                .extracting(PurgeLog.Entry::number)
                .containsExactly(2L);
        deliver(two, one.missingFrom(two.lastNumbers(), 10));
        assertThat(two.lastNumbers()).isEqualTo(Map.of("one@1", 3L));
        assertThat(two.missingFrom(Map.of(), 10)).hasSize(3);
    }

    @Test
    void startedOrder_isNotSentBeforeItIsDone() {
        PurgeLog.Entry entry = one.issue(uri("h/1"));
        assertThat(one.missingFrom(Map.of(), 10)).isEmpty();
        assertThat(one.meets(PurgeLog.text(Map.of("one@1", 1L)))).isFalse();
        one.recordDone(entry);
        assertThat(one.missingFrom(Map.of(), 10)).containsExactly(entry);
        assertThat(one.meets(PurgeLog.text(Map.of("one@1", 1L)))).isTrue();
    }

    @Test
    void isNext_withAGap_isFalse() {
        PurgeLog.Entry first = issueAndDo(one, uri("h/1"));
        PurgeLog.Entry second = issueAndDo(one, uri("h/2"));
        assertThat(two.isNext(second)).isFalse();
        deliver(two, List.of(first));
        assertThat(two.isNext(second)).isTrue();
        assertThat(two.isNext(first)).isFalse();
    }

    @Test
    void requirements_recentPurge_namesItForThatUriOnly() {
        assertThat(one.requirements(CacheKey.of("h/1"))).isNull();
        issueAndDo(one, uri("h/1"));
        assertThat(one.requirements(CacheKey.of("h/1"))).isEqualTo("one@1:1");
        assertThat(one.requirements(CacheKey.of("h/2"))).isNull();
        assertThat(two.meets("one@1:1")).isFalse();
        deliver(two, one.missingFrom(Map.of(), 10));
        assertThat(two.meets("one@1:1")).isTrue();
        issueAndDo(one, PurgeOrder.of(new PurgeOrder.Prefix("h/")));
        assertThat(one.requirements(CacheKey.of("h/2"))).isEqualTo("one@1:2");
        millis.addAndGet(31_000);
        assertThat(one.requirements(CacheKey.of("h/1"))).isNull();
        assertThat(two.meets("nonsense")).isFalse();
    }

    @Test
    void memberLackingDroppedOrders_hasAllAfterDroppingEverything() {
        for (int i = 0; i <= PurgeLog.MAX_ORDERS; i++) {
            issueAndDo(one, uri("h/" + i));
        }
        assertThat(one.hasForgottenFor(two.lastNumbers())).isTrue();
        assertThat(one.hasForgottenFor(Map.of("one@1", 1L))).isFalse();
        two.recordAllDone(one.lastNumbers());
        assertThat(one.hasForgottenFor(two.lastNumbers())).isFalse();
        assertThat(one.missingFrom(two.lastNumbers(), 10)).isEmpty();
        // A log cannot send a third member the orders that it does not keep.
        assertThat(two.hasForgottenFor(Map.of())).isTrue();
    }

    @Test
    void text_parsed_isEqual() {
        PurgeMessages text = new PurgeMessages(
                Map.of("one@1", 3L),
                true,
                List.of(
                        new PurgeLog.Entry("one@1", 1, uri("h/a b?c&d https")),
                        new PurgeLog.Entry(
                                "one@1", 2, new PurgeOrder(new PurgeOrder.Prefix(""), true, false)),
                        new PurgeLog.Entry(
                                "two@2",
                                3,
                                PurgeOrder.of(new PurgeOrder.Labelled(
                                        List.of("ro t", "grün&", "\1h/g"))))));
        assertThat(PurgeMessages.read(text.write())).isEqualTo(text);
        PurgeProof proof = new PurgeProof("komainu-grant 1\nmember one\n", "c2lnbmF0dXJl");
        PurgeMessages proven = new PurgeMessages(
                Map.of(),
                false,
                List.of(
                        new PurgeLog.Entry("one@1", 1, uri("h/a"), proof),
                        new PurgeLog.Entry("two@2", 1, uri("h/a")),
                        new PurgeLog.Entry("one@1", 2, uri("h/b"), proof)),
                List.of(new PurgeMessages.RefusedOrder("two@2", 7, PurgeRefusal.EXPIRED_GRANT)));
        assertThat(proven.write().lines().filter(line -> line.startsWith("grant ")))
                .as("once for all orders of a life")
                .hasSize(1);
        assertThat(PurgeMessages.read(proven.write())).isEqualTo(proven);
        assertThatThrownBy(() -> PurgeMessages.read("refused one@1 1 dislike"))
                .hasMessageContaining("expected: outside");
        assertThatThrownBy(() -> PurgeMessages.read("grant one@1"))
                .hasMessageContaining("expected: 3 words");
        assertThatThrownBy(() -> PurgeMessages.read("heard \nnothing"))
                .hasMessageContaining("expected: heard, forgotten");
        assertThatThrownBy(() -> PurgeMessages.read("purge one@1 1 hard uri"))
                .hasMessageContaining("expected: purge");
    }
}
