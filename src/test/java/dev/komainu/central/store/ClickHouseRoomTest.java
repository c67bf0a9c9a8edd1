package dev.komainu.central.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.room.RoomState;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ClickHouseRoomTest {

    private final AtomicReference<RecordServerFigures> newest = new AtomicReference<>();
    private final ClickHouseRoom room = new ClickHouseRoom(newest::get, 100);

    private RoomState withFree(long free) {
        newest.set(figures(new RecordServerFigures.Disk(free, 10_000)));
        room.check();
        return Objects.requireNonNull(room.state());
    }

    private static RecordServerFigures figures(RecordServerFigures.Disk disk) {
        return new RecordServerFigures(
                Instant.EPOCH, "26.9", List.of(), disk, 300, true, 0, 0, List.of());
    }

    @Test
    void disk_belowItsLimit_isFullUntilAQuarterMoreIsFree() {
        assertThat(withFree(100).full()).isFalse();
        assertThat(withFree(99).full()).isTrue();
        assertThat(withFree(124).full()).isTrue();
        assertThat(withFree(125).full()).isFalse();
        assertThat(withFree(99).refusesBatches()).isFalse();
    }

    @Test
    void diskThatIsNotTold_hasNoState_andOneThatIsNotToldAnyMoreKeepsIt() {
        newest.set(figures(null));
        room.check();
        assertThat(room.state()).isNull();
        assertThat(withFree(1).full()).isTrue();
        newest.set(null);
        room.check();
        assertThat(Objects.requireNonNull(room.state()).full()).isTrue();
    }
}
