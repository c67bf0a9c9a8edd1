package dev.komainu.agent.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.host.ApplicationPool;
import dev.komainu.agent.host.linux.ProcFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Scans of an nginx with a php-fpm behind it, over a copied process table. */
class PooledServerTest {

    private static final String SOCKET = "/run/php.sock";

    @Test
    void scan_nothingChanged_doesNotReadTheUnixSockets(@TempDir Path proc, @TempDir Path files)
            throws IOException {
        Path configuration = Files.writeString(
                files.resolve("nginx.conf"),
                "events {}\nhttp { server { listen 80; location / { fastcgi_pass unix:" + SOCKET
                        + "; } } }\n");
        CopiedProcesses host = new CopiedProcesses(proc);
        host.listensAtPort(80, 55);
        host.listensAtPath(SOCKET, 77);
        host.process(
                10,
                1,
                "/none/nginx",
                "nginx: master process /none/nginx -c " + configuration + "\0",
                55);
        host.process(20, 1, "/none/php-fpm8.2", "php-fpm: master process (/none/fpm.conf)\0", 77);
        try (Discovery discovery =
                new Discovery("here", DiscoverySettings.DEFAULTS, new ProcFiles(proc), false)) {
            ApplicationPool pool = new ApplicationPool(20, SOCKET, null);
            assertThat(pools(discovery.scan())).containsExactly(pool);

            host.noneListensAtPaths();
            assertThat(pools(discovery.scan())).containsExactly(pool);

            host.end(20);
            assertThat(pools(discovery.scan())).as("its process is gone").isEmpty();

            host.listensAtPath(SOCKET, 78);
            host.process(
                    30, 1, "/none/php-fpm8.2", "php-fpm: master process (/none/fpm.conf)\0", 78);
            assertThat(pools(discovery.scan()))
                    .containsExactly(new ApplicationPool(30, SOCKET, null));
        }
    }

    private static List<ApplicationPool> pools(Discovery.Scan scan) {
        return scan.servers().getFirst().watched().pools();
    }
}
