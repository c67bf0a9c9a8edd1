package dev.komainu.agent.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A recorded /proc: a master, its workers, another program among its children. */
class AllowedCpusTest {

    @TempDir
    private Path root;

    private ProcFiles proc;

    @BeforeEach
    void setUp() {
        proc = new ProcFiles(root);
    }

    private void process(int id, String program, String cpus, String children) throws IOException {
        Path directory = Files.createDirectories(root.resolve(Integer.toString(id)));
        Files.createSymbolicLink(directory.resolve("exe"), Path.of(program));
        Files.writeString(
                directory.resolve("status"),
                "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t" + cpus + "\n");
        Path task = Files.createDirectories(directory.resolve("task/" + id));
        Files.writeString(task.resolve("children"), children);
    }

    @Test
    void of_masterWithPinnedWorkers_returnsTheCpusOfAllWorkers() throws IOException {
        process(10, "/usr/sbin/nginx", "0-7", "11 12 13");
        process(11, "/usr/sbin/nginx", "1", "");
        process(12, "/usr/sbin/nginx", "2-3,6", "");
        process(13, "/bin/cat", "5", "");

        assertThat(AllowedCpus.of(proc, 10))
                .containsExactly(
                        new Setting("limit:cpus", "1-3,6", "/proc/WORKER/status, children of 10"));
    }

    @Test
    void of_oneProcess_returnsItsCpus() throws IOException {
        process(10, "/usr/bin/java", "0,2-3", "");

        assertThat(AllowedCpus.of(proc, 10))
                .containsExactly(new Setting("limit:cpus", "0,2-3", "/proc/10/status"));
    }

    @Test
    void of_missingOrMalformed_returnsNothing() throws IOException {
        assertThat(AllowedCpus.of(proc, 10)).isEmpty();
        process(10, "/usr/bin/java", "3-1,x", "");
        assertThat(AllowedCpus.of(proc, 10)).isEmpty();
    }
}
