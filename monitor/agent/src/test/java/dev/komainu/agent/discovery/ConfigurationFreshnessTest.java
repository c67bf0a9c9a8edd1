package dev.komainu.agent.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.discovery.configuration.ConfigurationFile;
import dev.komainu.agent.discovery.program.ServerKind;
import dev.komainu.agent.host.linux.ProcFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationFreshnessTest {

    private static final long BOOT = 1_700_000_000;

    @TempDir
    Path proc;

    @Test
    void pending_fileNewerThanMasterAndWorkers_isReportedUntilAReload() throws IOException {
        Files.writeString(proc.resolve("stat"), "cpu 1 2 3\nbtime " + BOOT + "\n");
        process(7, 10_000);
        process(8, 10_100);
        Files.createDirectories(proc.resolve("7/task/7"));
        Files.writeString(proc.resolve("7/task/7/children"), "8 ");
        ConfigurationFreshness freshness = new ConfigurationFreshness(new ProcFiles(proc));
        ConfigurationFile old = file("old", 50);
        ConfigurationFile loaded = file("loaded", 102);
        ConfigurationFile edited = file("edited", 500);
        assertThat(freshness.pending(ServerKind.NGINX, 7, List.of(old, loaded))).isNull();
        assertThat(freshness.pending(ServerKind.NGINX, 7, List.of(edited, old))).isEqualTo(edited);
        assertThat(freshness.pending(ServerKind.SQUID, 7, List.of(edited))).isNull();
        assertThat(freshness.pending(ServerKind.NGINX, 99, List.of(edited))).isNull();
        process(9, 50_100);
        Files.writeString(proc.resolve("7/task/7/children"), "8 9 ");
        assertThat(freshness.pending(ServerKind.NGINX, 7, List.of(edited, old))).isNull();
    }

    private static ConfigurationFile file(String name, long secondsAfterBoot) {
        return new ConfigurationFile(
                "/etc/" + name, 1, Instant.ofEpochSecond(BOOT + secondsAfterBoot));
    }

    private void process(int id, long startTicks) throws IOException {
        Files.createDirectories(proc.resolve(String.valueOf(id)));
        Files.writeString(
                proc.resolve(id + "/stat"),
                id + " (nginx) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 " + startTicks
                        + " 1000 10 0 0 0 0\n");
    }
}
