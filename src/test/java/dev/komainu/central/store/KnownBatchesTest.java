package dev.komainu.central.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.BatchId;
import java.util.HashSet;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class KnownBatchesTest {

    @Property(tries = 300)
    void contains_afterAnyAdditions_equalsASet(
            @ForAll @Size(max = 60) java.util.List<@IntRange(max = 40) Integer> added) {
        KnownBatches known = new KnownBatches();
        Set<Integer> model = new HashSet<>();
        for (int sequence : added) {
            known.add(new BatchId("a", 1, sequence));
            model.add(sequence);
        }
        for (int i = -1; i <= 41; i++) {
            assertThat(known.contains(new BatchId("a", 1, i))).isEqualTo(model.contains(i));
        }
        int runs = 0;
        for (int i = 0; i <= 40; i++) {
            runs += model.contains(i) && !model.contains(i - 1) ? 1 : 0;
        }
        assertThat(known.ranges()).as("touching ranges are one").isEqualTo(runs);
    }

    @Test
    void add_rangeOverOthers_mergesThem() {
        KnownBatches known = new KnownBatches();
        known.add("a", 1, 5, 6);
        known.add("a", 1, 10, 12);
        known.add("a", 1, 3, 20);

        assertThat(known.ranges()).isEqualTo(1);
        assertThat(known.contains(new BatchId("a", 2, 5))).isFalse();
    }

    @Test
    void inventedRunsAndGaps_takeBoundedMemory() {
        KnownBatches known = new KnownBatches();
        known.add(new BatchId("honest", 1, 1));
        for (int i = 0; i < 50_000; i++) {
            known.add(new BatchId("invented" + i, 1, 1));
            known.add(new BatchId("gaps", 1, 2L * i));
            known.contains(new BatchId("honest", 1, 1));
        }

        assertThat(known.ranges()).isLessThan(11_000);
        assertThat(known.contains(new BatchId("honest", 1, 1))).isTrue();
        assertThat(known.contains(new BatchId("gaps", 1, 99_998))).isTrue();
    }
}
