package dev.komainu.agent.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.HostParts;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Parts of the host that runs the test. */
class PartsSurveyTest {

    @Test
    void read_again_countsSinceTheReadingBefore() {
        try (PartsSurvey survey = new PartsSurvey(ProcFiles.ofThisHost(), Path.of("/sys"), null)) {
            HostParts first = survey.read();
            assertThat(first.intervalMicros()).isZero();
            assertThat(first.cpuEvents()).isEmpty();
            assertThat(first.volumes()).isNotEmpty();

            HostParts second = survey.read();
            assertThat(second.intervalMicros()).isPositive();
            assertThat(second.cpuEvents()).isNotEmpty();
            assertThat(second.perSecond(second.backlogDrops())).isNotNegative();
        }
    }
}
