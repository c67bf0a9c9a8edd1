package dev.komainu.proxy.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.caching.CacheKey;
import dev.komainu.intermediary.caching.Freshness;
import dev.komainu.proxy.cache.memory.BodyMemory;
import dev.komainu.proxy.cache.memory.SlabBuffer;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class TagIndexTest {

    private static final BodyMemory MEMORY = new BodyMemory(1 << 20);
    /** All have the same head: the index does not read it. */
    private static final StoredHead HEAD =
            StoredHead.inOwnRun((SlabBuffer) MEMORY.allocate(1), new byte[0], null, null);

    private static StoredResponse response(int number, List<String> labels) {
        Freshness fresh = new Freshness(60, 0, 0, false, false, true, 0, 0, 0);
        return new StoredResponse(
                CacheKey.of("host", "/" + number), 200, HEAD, new ByteBuf[0], fresh, labels);
    }

    @Test
    void index_agreesWithAModel_afterAdditionsAndRemovals() {
        Random random = new Random(7);
        TagIndex index = new TagIndex();
        List<StoredResponse> filed = new ArrayList<>();
        for (int step = 0; step < 20_000; step++) {
            if (filed.isEmpty() || random.nextInt(100) < 52) {
                List<String> labels = new ArrayList<>();
                for (int i = random.nextInt(5); i > 0; i--) {
                    labels.add("t" + random.nextInt(12));
                }
                StoredResponse response = response(step, labels);
                index.add(response);
                filed.add(response);
            } else {
                StoredResponse gone = filed.remove(random.nextInt(filed.size()));
                index.remove(gone);
                index.remove(gone);
            }
            if (step % 500 == 0) {
                for (int i = 0; i < 12; i++) {
                    String label = "t" + i;
                    Set<StoredResponse> expected = new HashSet<>(
                            filed.stream().filter(r -> r.carries(label)).toList());
                    assertThat(index.responsesWith(label)).hasSize(expected.size());
                    assertThat(new HashSet<>(index.responsesWith(label))).isEqualTo(expected);
                }
            }
        }
        filed.forEach(index::remove);
        assertThat(index.size()).isZero();
    }

    @Test
    void index_ofManyThreads_containsExactlyTheAdded() throws Exception {
        TagIndex index = new TagIndex();
        int count = 4;
        CyclicBarrier together = new CyclicBarrier(count);
        List<List<StoredResponse>> kept = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        for (int t = 0; t < count; t++) {
            List<StoredResponse> mine = new ArrayList<>();
            kept.add(mine);
            int seed = t;
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    Random random = new Random(seed);
                    together.await();
                    for (int i = 0; i < 20_000; i++) {
                        StoredResponse response =
                                response(i, List.of("a", "b" + random.nextInt(3)));
                        index.add(response);
                        // Mostly removed at once, so that tags are created and removed
                        // concurrently.
                        if (random.nextInt(1000) == 0) {
                            mine.add(response);
                        } else {
                            index.remove(response);
                        }
                    }
                } catch (Exception | Error e) {
                    failure.set(e);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failure.get()).isNull();
        Set<StoredResponse> all = new HashSet<>();
        kept.forEach(all::addAll);
        assertThat(new HashSet<>(index.responsesWith("a"))).isEqualTo(all);
        assertThat(index.responsesWith("a")).hasSize(all.size());
        all.forEach(index::remove);
        assertThat(index.size()).isZero();
    }

    @Test
    void weight_growsWithLabels_andNotWithout() {
        int bare = response(1, List.of()).weight();
        assertThat(response(1, List.of("sale")).weight()).isGreaterThan(bare + 4);
        assertThat(response(2, List.of()).weight()).isEqualTo(bare);
    }
}
