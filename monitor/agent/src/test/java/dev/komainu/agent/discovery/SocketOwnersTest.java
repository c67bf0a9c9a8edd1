package dev.komainu.agent.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.host.linux.ProcFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The top process behind a socket, over a copied process table. */
class SocketOwnersTest {

    private static final String PYTHON = "/usr/bin/python3.11";

    @TempDir
    Path proc;

    @Test
    void of_pythonServerUnderAPythonSupervisor_isTheServersMaster() throws IOException {
        process(10, 1, PYTHON, "python3\0/usr/bin/supervisord\0", null);
        process(20, 10, PYTHON, "python3\0/usr/bin/gunicorn\0a:b\0", 77L);
        process(21, 20, PYTHON, "python3\0/usr/bin/gunicorn\0a:b\0", 77L);

        assertThat(owners(77)).isEqualTo(Map.of(77L, 20L));
    }

    @Test
    void of_titledWorker_isTheTitledMaster() throws IOException {
        process(20, 1, PYTHON, "gunicorn: master [a:b]\0", null);
        process(21, 20, PYTHON, "gunicorn: worker [a:b]\0", 77L);

        assertThat(owners(77)).isEqualTo(Map.of(77L, 20L));
    }

    @Test
    void of_otherProgramsWorker_isItsMasterWhateverTheTitles() throws IOException {
        process(20, 1, "/usr/sbin/nginx", "nginx: master process nginx -c /a\0", null);
        process(21, 20, "/usr/sbin/nginx", "nginx: worker process\0", 77L);

        assertThat(owners(77)).isEqualTo(Map.of(77L, 20L));
    }

    private Map<Long, Long> owners(long inode) {
        return new SocketOwners(new ProcFiles(proc)).of(Set.of(inode));
    }

    private void process(
            long id,
            long parent,
            String program,
            String line,
            @org.jspecify.annotations.Nullable Long inode)
            throws IOException {
        Path directory = Files.createDirectories(proc.resolve(id + "/fd"));
        Files.createSymbolicLink(proc.resolve(id + "/exe"), Path.of(program));
        Files.writeString(proc.resolve(id + "/cmdline"), line);
        Files.writeString(
                proc.resolve(id + "/stat"),
                id + " (x) S " + parent
                        + " 1 1 0 -1 4194304 1 0 0 0 1 1 0 0 20 0 1 0 100 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
        if (inode != null) {
            Files.createSymbolicLink(directory.resolve("5"), Path.of("socket:[" + inode + "]"));
        }
    }
}
