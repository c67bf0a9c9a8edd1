package dev.komainu.agent;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A real nginx on a free loopback port, with its own configuration; for tests. */
public final class NginxServer implements AutoCloseable {

    private final Process process;
    private final InetAddress address;
    private final int port;
    private final Path directory;

    private NginxServer(Process process, InetAddress address, int port, Path directory) {
        this.process = process;
        this.address = address;
        this.port = port;
        this.directory = directory;
    }

    /**
     * Starts nginx.
     *
     * @param directory an empty one, kept until the server is closed
     */
    public static NginxServer start(Path directory) throws IOException {
        return start(directory, InetAddress.getLoopbackAddress());
    }

    /**
     * Starts nginx.
     *
     * @param address one of this host's own, IPv4
     */
    public static NginxServer start(Path directory, InetAddress address) throws IOException {
        int port = freePort(address);
        Path program =
                List.of("/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx").stream()
                        .map(Path::of)
                        .filter(Files::isExecutable)
                        .findFirst()
                        .orElseThrow(() -> new AssertionError(
                                "nginx: not found (expected: apt-get install nginx-light)"));
        Files.createDirectories(directory.resolve("www"));
        Files.writeString(directory.resolve("www/index.html"), "hello from the guarded server\n");
        Files.writeString(
                directory.resolve("nginx.conf"),
                String.format(Locale.ROOT, """
                daemon off;
                worker_processes 2;
                pid %1$s/nginx.pid;
                error_log %1$s/error.log;
                events { worker_connections 512; }
                http {
                    access_log off;
                    keepalive_timeout 15;
                    client_body_temp_path %1$s/body;
                    proxy_temp_path %1$s/proxy;
                    fastcgi_temp_path %1$s/fastcgi;
                    uwsgi_temp_path %1$s/uwsgi;
                    scgi_temp_path %1$s/scgi;
                    server {
                        listen %3$s:%2$d backlog=600;
                        root %1$s/www;
                        location = /status { stub_status; }
                    }
                }
                """, directory, port, address.getHostAddress()));
        // Workers drop root's rights and must still reach the files.
        new ProcessBuilder("chmod", "-R", "a+rX", directory.toString())
                .start()
                .onExit()
                .join();
        Process process = new ProcessBuilder(
                        program.toString(),
                        "-p",
                        directory.toString(),
                        "-c",
                        directory.resolve("nginx.conf").toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output.log").toFile())
                .start();
        NginxServer server = new NginxServer(process, address, port, directory);
        await("nginx on port " + port).atMost(Duration.ofSeconds(60)).until(server::answers);
        return server;
    }

    private boolean answers() throws IOException {
        if (!process.isAlive()) {
            throw new AssertionError("nginx: " + Files.readString(directory.resolve("output.log")));
        }
        try (Socket socket = new Socket(address, port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    public int port() {
        return port;
    }

    /** Returns the connections accepted since the start, including the one of this request. */
    public long accepted() throws IOException {
        try (Socket socket = new Socket(address, port)) {
            socket.getOutputStream()
                    .write("GET /status HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            String text =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            // "server accepts handled requests", then the three numbers.
            Matcher numbers = Pattern.compile("requests\\s+(\\d+) ").matcher(text);
            if (!numbers.find()) {
                throw new AssertionError("nginx stub_status: " + text);
            }
            return Long.parseLong(numbers.group(1));
        }
    }

    public long processId() {
        return process.pid();
    }

    public Path configuration() {
        return directory.resolve("nginx.conf");
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().orTimeout(60, java.util.concurrent.TimeUnit.SECONDS).join();
    }
}
