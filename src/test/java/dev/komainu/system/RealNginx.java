package dev.komainu.system;

import static dev.komainu.telemetry.kit.FreePort.freePort;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;

/** An nginx from Debian's packages on a free port of loopback, serving one small page. */
final class RealNginx implements AutoCloseable {

    private final Process process;
    private final int port;
    private final int statusPort;
    private long statusAsked;

    private RealNginx(Process process, int port, int statusPort) {
        this.process = process;
        this.port = port;
        this.statusPort = statusPort;
    }

    static RealNginx start() throws IOException {
        return start(InetAddress.getLoopbackAddress());
    }

    /** @param address one of this host's own; the count is asked at loopback */
    static RealNginx start(InetAddress address) throws IOException {
        return start(address, "access_log off;", "root %1$s;");
    }

    /**
     * Starts it in a network namespace, where its count cannot be asked.
     *
     * @param address one of the namespace, which this host reaches
     */
    static RealNginx startIn(String namespace, InetAddress address) throws IOException {
        return start(
                List.of("ip", "netns", "exec", namespace),
                address,
                freePort(InetAddress.getLoopbackAddress()),
                "access_log off;",
                "root %1$s;");
    }

    /**
     * Any page below {@code /keep/} may be kept for an hour, any below {@code /fresh/} not at all;
     * every request is logged with how long it took; clients may stay for ten minutes.
     */
    static RealNginx cacheableWithLog() throws IOException {
        return start(
                InetAddress.getLoopbackAddress(),
                "log_format timed '$remote_addr [$time_local] $msec \"$request\" $status $bytes_sent $request_time';"
                        + " access_log %1$s/access.log timed; keepalive_timeout 600s;",
                "root %1$s; location /keep/ { expires 1h; try_files /index.html =404; }"
                        + " location /fresh/ { add_header Cache-Control no-store; try_files /index.html =404; }");
    }

    private static RealNginx start(InetAddress address, String http, String server)
            throws IOException {
        return start(List.of(), address, freePort(address), http, server);
    }

    private static RealNginx start(
            List<String> prefix, InetAddress address, int port, String http, String server)
            throws IOException {
        Path program = Path.of("/usr/sbin/nginx");
        if (!Files.isExecutable(program)) {
            throw new AssertionError(
                    "nginx: not installed. Fix: apt-get install -y --no-install-recommends nginx-light");
        }
        int statusPort;
        do {
            statusPort = freePort(InetAddress.getLoopbackAddress());
        } while (statusPort == port);
        Path dir = Files.createTempDirectory("komainu-nginx");
        dir.toFile().setReadable(true, false);
        dir.toFile().setExecutable(true, false);
        Files.writeString(
                dir.resolve("index.html"), "<!doctype html><title>served</title>\n".repeat(30));
        Files.writeString(
                dir.resolve("nginx.conf"),
                String.format(
                        Locale.ROOT,
                        """
                worker_processes 1;
                pid %1$s/pid;
                error_log %1$s/error.log;
                events { worker_connections 1024; }
                http {
                  %4$s
                  client_body_temp_path %1$s/b; proxy_temp_path %1$s/p; fastcgi_temp_path %1$s/f; uwsgi_temp_path %1$s/u; scgi_temp_path %1$s/s;
                  server { listen %6$s:%2$d backlog=4096; %5$s }
                  server { listen 127.0.0.1:%3$d; access_log off; stub_status; }
                }
                """,
                        dir,
                        port,
                        statusPort,
                        String.format(Locale.ROOT, http, dir),
                        String.format(Locale.ROOT, server, dir),
                        address.getHostAddress()));
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(
                program.toString(),
                "-p",
                dir.toString(),
                "-c",
                dir.resolve("nginx.conf").toString(),
                "-g",
                "daemon off;"));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("out.log").toFile())
                .start();
        Awaitility.await("nginx answers").atMost(Duration.ofSeconds(60)).until(() -> {
            try (Socket socket = new Socket(address, port)) {
                return socket.isConnected();
            } catch (IOException e) {
                return false;
            }
        });
        return new RealNginx(process, port, statusPort);
    }

    int port() {
        return port;
    }

    /**
     * Connections nginx accepted since its start, on the served port alone, asked of nginx itself.
     */
    long accepted() throws IOException {
        statusAsked++;
        String words;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), statusPort)) {
            socket.getOutputStream()
                    .write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            words = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
        var accepts = Pattern.compile("requests\\s+(\\d+)").matcher(words);
        if (!accepts.find()) {
            throw new IOException(
                    "nginx status: " + words + " (expected: accepts, handled, requests)");
        }
        return Long.parseLong(accepts.group(1)) - statusAsked;
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }
}
