package dev.komainu.proxy.tally;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.Distribution;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class LoopTallyTest {

    // Every counter of an object and of the objects in it, in a fixed order.
    private static List<Long> counters(Object of) throws IllegalAccessException {
        List<Long> found = new ArrayList<>();
        for (Field field : of.getClass().getFields()) {
            if (field.getType() == long.class) {
                found.add(field.getLong(of));
            } else if (field.getType() != Histogram.class) {
                found.addAll(counters(field.get(of)));
            }
        }
        return found;
    }

    private static long fill(Object of, long next) throws IllegalAccessException {
        for (Field field : of.getClass().getFields()) {
            if (field.getType() == long.class) {
                field.setLong(of, next++);
            } else if (field.getType() != Histogram.class) {
                next = fill(field.get(of), next);
            }
        }
        return next;
    }

    @Test
    void counters_everyOneFilled_areCopiedWithoutRoomForDurations() throws IllegalAccessException {
        LoopTally tally = new LoopTally();
        fill(tally, 1);
        Distribution.record(tally.hitResponse, 250);

        LoopTally kept = tally.counters();

        assertThat(counters(kept)).hasSizeGreaterThan(50).isEqualTo(counters(tally));
        assertThat(tally.hitResponse.getTotalCount()).isEqualTo(1);
        for (Histogram h : List.of(kept.hitResponse, kept.missResponse, kept.originResponse)) {
            assertThat(h.getTotalCount()).isZero();
            assertThat(h.getEstimatedFootprintInBytes()).isLessThan(1024);
        }
    }

    @Test
    void addTo_countersAndDurations_addsBothAndMovesDurations() throws IllegalAccessException {
        LoopTally tally = new LoopTally();
        fill(tally, 1);
        Distribution.record(tally.missResponse, 250);
        LoopTally total = new LoopTally();

        tally.addTo(total);

        assertThat(counters(total)).isEqualTo(counters(tally));
        assertThat(total.missResponse.getTotalCount()).isEqualTo(1);
        assertThat(tally.missResponse.getTotalCount()).isZero();
    }
}
