package dev.komainu.central.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.fleet.ReportedSettings.Difference;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A proxy and the agent beside it tell of one service; only what one of them tells differently is a
 * change.
 */
class ReportedSettingsTest {

    private static final Setting MEMORY = new Setting("cache.memory", "64 MB", "proxy.yaml");
    private static final Setting BACKLOG =
            new Setting("sysctl:net.core.somaxconn", "4096", "/proc/sys");
    private static final Setting LONGER_BACKLOG =
            new Setting("sysctl:net.core.somaxconn", "8192", "/proc/sys");

    private final ReportedSettings told = new ReportedSettings(List.of(), 0);

    @Test
    void tell_twoSourcesWithDifferentLists_noneIsAChangeAndBothAreKept() {
        for (int round = 0; round < 3; round++) {
            assertThat(told.tell("proxy", List.of(MEMORY), 1)).isEmpty();
            assertThat(told.tell("agent", List.of(BACKLOG), 1)).isEmpty();
        }

        assertThat(told.all()).containsExactly(MEMORY, BACKLOG);
    }

    @Test
    void tell_valueNewAndGone_areChangesOfThatSource() {
        told.tell("agent", List.of(BACKLOG), 1);

        assertThat(told.tell("agent", List.of(LONGER_BACKLOG, MEMORY), 2))
                .containsExactly(
                        new Difference(BACKLOG, LONGER_BACKLOG), new Difference(null, MEMORY));
        assertThat(told.tell("agent", List.of(LONGER_BACKLOG), 3))
                .containsExactly(new Difference(MEMORY, null));
        assertThat(told.all()).containsExactly(LONGER_BACKLOG);
    }

    @Test
    void tell_emptyList_saysNothing() {
        told.tell("agent", List.of(BACKLOG), 1);

        assertThat(told.tell("agent", List.of(), 2)).isEmpty();
        assertThat(told.all()).containsExactly(BACKLOG);
    }

    @Test
    void tell_afterARestartOfTheCentre_onlyWhatChangedMeanwhileIsTold() {
        ReportedSettings restarted = new ReportedSettings(List.of(MEMORY, BACKLOG), 0);

        assertThat(restarted.tell("agent", List.of(LONGER_BACKLOG), 1))
                .containsExactly(new Difference(BACKLOG, LONGER_BACKLOG));
        assertThat(restarted.all()).containsExactlyInAnyOrder(MEMORY, LONGER_BACKLOG);
    }

    @Test
    void all_rememberedButNeverToldAgain_leaves() {
        ReportedSettings restarted = new ReportedSettings(List.of(MEMORY, BACKLOG), 0);

        restarted.tell("agent", List.of(BACKLOG), Duration.ofMinutes(16).toNanos() / 1_000);

        assertThat(restarted.all()).containsExactly(BACKLOG);
    }
}
