package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.summary.FirstWindowMarker;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.TelemetryRecord;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A capture that begins at 7.4 s marks its first second as incomplete. */
class FirstWindowTest {

    private final List<TelemetryRecord> records = new ArrayList<>();
    private final FirstWindowMarker first = new FirstWindowMarker(7_400_000, records::add);

    private ServiceWindow toldOf(long second) {
        first.accept(SomeWindows.responding("web:80", second));
        return (ServiceWindow) records.getLast();
    }

    @Test
    void secondInWhichCapturingBegan_isShorter_andEndsWhereItDid() {
        ServiceWindow window = toldOf(7);

        assertThat(window.fromMicros()).isEqualTo(7_400_000);
        assertThat(window.lengthMicros()).isEqualTo(600_000);
        assertThat(window.packets().down())
                .isEqualTo(SomeWindows.responding("web:80", 7).packets().down());
    }

    @Test
    void laterSeconds_areWhole() {
        assertThat(toldOf(8)).isEqualTo(SomeWindows.responding("web:80", 8));
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
        assertThat(records).containsExactly(other);
    }
}
