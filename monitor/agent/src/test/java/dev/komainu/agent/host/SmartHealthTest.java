package dev.komainu.agent.host;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.HostParts.Drive;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Answers of smartctl, written after smartctl(8) and its JSON schema. */
class SmartHealthTest {

    private static final String SOUND =
            "{\"json_format_version\":[1,0],\"smart_status\":{\"passed\":true}}";
    private static final String FAILS = "{\"smart_status\":{\"passed\":false,\"nvme\":{}}}";

    @Test
    void verdict_ofAnAnswer_andOfNone() {
        assertThat(SmartHealth.verdict(SOUND)).isZero();
        assertThat(SmartHealth.verdict(FAILS)).isOne();
        assertThat(SmartHealth.verdict("{\"smartctl\":{\"exit_status\":2}}")).isNull();
        assertThat(SmartHealth.verdict(null)).isNull();
    }

    @Test
    void disks_areAskedOnlyOnceTheyAreKnown_andASleepingDiskKeepsItsVerdict() {
        Map<String, String> answers = new HashMap<>(Map.of("sda", FAILS, "sdb", SOUND));
        List<Drive> drives = List.of(
                new Drive("sda", null, 100, null, null, null),
                new Drive("sdb", null, 100, null, null, null));
        try (SmartHealth health = new SmartHealth(answers::get)) {
            health.ask();
            assertThat(health.withVerdicts(drives))
                    .extracting(Drive::failing)
                    .containsExactly(null, null);

            health.ask();
            answers.remove("sda");
            health.ask();
            assertThat(health.withVerdicts(drives))
                    .extracting(Drive::failing)
                    .containsExactly(1, 0);
        }
    }
}
