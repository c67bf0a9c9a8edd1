package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.summary.FirstWindowMarker;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who looks only from 7.4 s on says so of the second he came in. */
class FirstWindowTest {

    private final List<TelemetryRecord> told = new ArrayList<>();
    private final FirstWindowMarker first = new FirstWindowMarker(7_400_000, told::add);

    private ServiceWindow toldOf(long second) {
        first.accept(SomeWindows.answered("web:80", second));
        return (ServiceWindow) told.getLast();
    }

    @Test
    void secondInWhichCapturingBegan_isShorter_andEndsWhereItDid() {
        ServiceWindow window = toldOf(7);

        assertThat(window.fromMicros()).isEqualTo(7_400_000);
        assertThat(window.lengthMicros()).isEqualTo(600_000);
        assertThat(window.down()).isEqualTo(SomeWindows.answered("web:80", 7).down());
    }

    @Test
    void secondsBehindIt_areWhole() {
        assertThat(toldOf(8)).isEqualTo(SomeWindows.answered("web:80", 8));
    }

    @Test
    void secondBeforeIt_whileInterfacesWereOpened_isNone() {
        ServiceWindow window = toldOf(6);

        assertThat(window.lengthMicros()).isEqualTo(1);
        assertThat(window.atMicros()).isEqualTo(7_000_000);
    }

    @Test
    void everythingElse_passes() {
        TelemetryRecord other = SomeWindows.silent("web:80", 9);
        first.accept(other);
        assertThat(told).containsExactly(other);
    }
}
