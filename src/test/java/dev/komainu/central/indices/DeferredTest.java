package dev.komainu.central.indices;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DeferredTest {

    private final AtomicInteger computed = new AtomicInteger();

    @Test
    void list_isComputedOnceWhenItIsRead() {
        List<String> list = Deferred.list(() -> List.of("a" + computed.incrementAndGet(), "b"));

        assertThat(computed).hasValue(0);
        assertThat(list).containsExactly("a1", "b");
        assertThat(list).isEqualTo(List.of("a1", "b"));
        assertThat(computed).hasValue(1);
    }

    @Test
    void map_isComputedOnceWhenItIsRead() {
        Map<String, Integer> map = Deferred.map(() -> Map.of("a", computed.incrementAndGet()));

        assertThat(computed).hasValue(0);
        assertThat(map).containsEntry("a", 1).hasSize(1);
        assertThat(map.get("b")).isNull();
        assertThat(computed).hasValue(1);
    }
}
