package dev.komainu.central.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.fleet.ReportedSettings.Difference;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A proxy and the agent beside it report settings of one service; only a value that one source
 * reports differently from before is a change.
 */
class ReportedSettingsTest {

    private static final Setting MEMORY = new Setting("cache.memory", "64 MB", "proxy.yaml");
    private static final Setting BACKLOG =
            new Setting("sysctl:net.core.somaxconn", "4096", "/proc/sys");
    private static final Setting LONGER_BACKLOG =
            new Setting("sysctl:net.core.somaxconn", "8192", "/proc/sys");

    private final ReportedSettings settings = new ReportedSettings(List.of(), 0);

    @Test
    void replace_twoSourcesWithDifferentLists_noChangeAndBothKept() {
        for (int round = 0; round < 3; round++) {
            assertThat(settings.replace("proxy", List.of(MEMORY), 1)).isEmpty();
            assertThat(settings.replace("agent", List.of(BACKLOG), 1)).isEmpty();
        }

        assertThat(settings.all()).containsExactly(MEMORY, BACKLOG);
    }

    @Test
    void replace_valueNewAndGone_changesOfThatSource() {
        settings.replace("agent", List.of(BACKLOG), 1);

        assertThat(settings.replace("agent", List.of(LONGER_BACKLOG, MEMORY), 2))
                .containsExactly(
                        new Difference(BACKLOG, LONGER_BACKLOG), new Difference(null, MEMORY));
        assertThat(settings.replace("agent", List.of(LONGER_BACKLOG), 3))
                .containsExactly(new Difference(MEMORY, null));
        assertThat(settings.all()).containsExactly(LONGER_BACKLOG);
    }

    @Test
    void replace_emptyList_isIgnored() {
        settings.replace("agent", List.of(BACKLOG), 1);

        assertThat(settings.replace("agent", List.of(), 2)).isEmpty();
        assertThat(settings.all()).containsExactly(BACKLOG);
    }

    @Test
    void replace_afterARestartOfTheCentralService_onlyChangesMeanwhileAreReturned() {
        ReportedSettings restarted = new ReportedSettings(List.of(MEMORY, BACKLOG), 0);

        assertThat(restarted.replace("agent", List.of(LONGER_BACKLOG), 1))
                .containsExactly(new Difference(BACKLOG, LONGER_BACKLOG));
        assertThat(restarted.all()).containsExactlyInAnyOrder(MEMORY, LONGER_BACKLOG);
    }

    @Test
    void all_rememberedButNotReportedAgain_isRemoved() {
        ReportedSettings restarted = new ReportedSettings(List.of(MEMORY, BACKLOG), 0);

        restarted.replace("agent", List.of(BACKLOG), Duration.ofMinutes(16).toNanos() / 1_000);

        assertThat(restarted.all()).containsExactly(BACKLOG);
    }
}
