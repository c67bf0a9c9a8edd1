package dev.komainu.agent.lab;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Real servers in a lab's namespace: nginx on port 80, Apache, where there is one, on 8080; all
 * addresses.
 */
public final class WebServers {

    private WebServers() {}

    /** @return nginx's own count of accepted connections can be asked at {@code /status} */
    public static void nginx(Lab lab, String namespace, Path directory) throws IOException {
        pages(directory);
        Path file = Files.writeString(directory.resolve("nginx.conf"), """
                daemon off;
                worker_processes 2;
                pid %1$s/nginx.pid;
                error_log %1$s/nginx.log;
                events { worker_connections 1024; }
                http {
                    access_log off;
                    client_body_temp_path %1$s/body;
                    proxy_temp_path %1$s/proxy;
                    fastcgi_temp_path %1$s/fastcgi;
                    uwsgi_temp_path %1$s/uwsgi;
                    scgi_temp_path %1$s/scgi;
                    server {
                        listen 80;
                        listen [::]:80;
                        root %1$s/www;
                        location = /status { stub_status; }
                        location = /slow { limit_rate 40k; try_files /big.bin =404; }
                    }
                }
                """.formatted(directory));
        readable(directory);
        Process server = lab.start(
                namespace,
                directory.resolve("nginx.out"),
                List.of("nginx", "-p", directory.toString(), "-c", file.toString()));
        await("nginx").atMost(Duration.ofSeconds(60)).until(() -> {
            if (!server.isAlive()) {
                throw new AssertionError(Files.readString(directory.resolve("nginx.out.err")));
            }
            return Files.exists(directory.resolve("nginx.pid"))
                    && Files.size(directory.resolve("nginx.pid")) > 0;
        });
    }

    /** False where there is no Apache. */
    public static boolean apache(Lab lab, String namespace, Path directory) throws IOException {
        Path program = Path.of("/usr/sbin/apache2");
        Path modules = Path.of("/usr/lib/apache2/modules");
        if (!Files.isExecutable(program) || !Files.exists(modules.resolve("mod_mpm_event.so"))) {
            return false;
        }
        pages(directory);
        Path file = Files.writeString(
                directory.resolve("apache.conf"), """
                ServerName lab
                Listen 8080
                PidFile %1$s/apache.pid
                ErrorLog %1$s/apache.log
                Mutex file:%1$s
                LoadModule mpm_event_module %2$s/mod_mpm_event.so
                LoadModule authz_core_module %2$s/mod_authz_core.so
                User www-data
                Group www-data
                DocumentRoot %1$s/www
                KeepAlive On
                """.formatted(directory, modules));
        readable(directory);
        lab.start(
                namespace,
                directory.resolve("apache.out"),
                List.of(program.toString(), "-f", file.toString(), "-D", "FOREGROUND"));
        await("apache")
                .atMost(Duration.ofSeconds(60))
                .until(() -> Files.exists(directory.resolve("apache.pid")));
        return true;
    }

    private static void pages(Path directory) throws IOException {
        Path www = Files.createDirectories(directory.resolve("www"));
        Files.writeString(www.resolve("index.html"), "hello from the guarded server\n");
        Files.write(www.resolve("big.bin"), new byte[300_000]);
    }

    private static void readable(Path directory) throws IOException {
        new ProcessBuilder("chmod", "-R", "a+rX", directory.toString())
                .start()
                .onExit()
                .join();
        new ProcessBuilder("chmod", "a+w", directory.toString())
                .start()
                .onExit()
                .join();
    }
}
