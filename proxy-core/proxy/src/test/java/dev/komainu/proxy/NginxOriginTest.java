package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.telemetry.kit.Program;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real origin: nginx with its own validators, ranges and keep-alive. */
class NginxOriginTest {

    @Test
    void files_areCachedValidatedAndCut(@TempDir Path directory) throws Exception {
        Path program = Program.need("nginx");
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Files.createDirectory(directory.resolve("www"));
        Files.writeString(directory.resolve("www/file.txt"), "0123456789".repeat(5000));
        Path config = Files.writeString(
                directory.resolve("nginx.conf"), String.format(Locale.ROOT, """
                daemon off; master_process off; pid %1$s/pid; error_log %1$s/err;
                events {}
                http { access_log off; client_body_temp_path %1$s/b; proxy_temp_path %1$s/p; fastcgi_temp_path %1$s/f;
                  uwsgi_temp_path %1$s/u; scgi_temp_path %1$s/s;
                  server { listen 127.0.0.1:%2$d; root %1$s/www; expires 1s; } }
                """, directory, port));
        Process nginx = new ProcessBuilder(
                        program.toString(), "-c", config.toString(), "-e", directory + "/err")
                .start();
        try (ProxyFixture proxy = new ProxyFixture("origin", "http://127.0.0.1:" + port)) {
            Awaitility.await().ignoreExceptions().until(() -> {
                try (Socket probe = new Socket("127.0.0.1", port)) {
                    return probe.isConnected();
                }
            });
            try (RawClient client = proxy.client()) {
                assertThat(client.get("/file.txt").body()).hasSize(50_000);
                assertThat(client.get("/file.txt").field("Cache-Status")).contains("; hit");
                assertThat(client.get("/file.txt", "Range: bytes=10-19").body())
                        .isEqualTo("0123456789");
                proxy.passSeconds(5);
                assertThat(client.get("/file.txt").field("Cache-Status"))
                        .contains("fwd-status=304");
                assertThat(client.get("/none").status()).isEqualTo(404);
                assertThat(client.request("HEAD", "/file.txt").field("Content-Length"))
                        .isEqualTo("50000");
            }
        } finally {
            nginx.destroy();
            assertThat(nginx.waitFor(10, TimeUnit.SECONDS)).isTrue();
        }
    }
}
