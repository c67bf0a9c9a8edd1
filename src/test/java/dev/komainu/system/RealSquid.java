package dev.komainu.system;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;

/**
 * A Squid from Debian's packages on a free port of loopback, before one origin, with a memory cache
 * and its native log.
 */
final class RealSquid implements AutoCloseable {

    private static final Path PROGRAM = Path.of("/usr/sbin/squid");

    private final Process process;
    private final Path directory;
    private final int port;

    private RealSquid(Process process, Path directory, int port) {
        this.process = process;
        this.directory = directory;
        this.port = port;
    }

    static boolean isInstalled() {
        return Files.isExecutable(PROGRAM);
    }

    static RealSquid before(int originPort) throws IOException {
        int port;
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = any.getLocalPort();
        }
        Path directory = Files.createTempDirectory("komainu-squid");
        // Squid gives up root for a user of its own, who writes the log.
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path configuration = Files.writeString(
                directory.resolve("squid.conf"),
                String.format(Locale.ROOT, """
                http_port 127.0.0.1:%2$d accel defaultsite=origin.example no-vhost
                cache_peer 127.0.0.1 parent %3$d 0 no-query originserver name=origin
                acl everybody src all
                http_access allow everybody
                cache_mem 64 MB
                access_log stdio:%1$s/access.log squid
                cache_log %1$s/cache.log
                cache_store_log none
                pid_filename %1$s/squid.pid
                coredump_dir %1$s
                shutdown_lifetime 1 seconds
                logfile_rotate 0
                buffered_logs off
                visible_hostname squid.example
                """, directory, port, originPort));
        Process process = new ProcessBuilder(
                        PROGRAM.toString(), "-N", "-f", configuration.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("out.log").toFile())
                .start();
        Awaitility.await("Squid answers").atMost(Duration.ofSeconds(60)).until(() -> {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return socket.isConnected();
            } catch (IOException e) {
                return false;
            }
        });
        return new RealSquid(process, directory, port);
    }

    int port() {
        return port;
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + port);
    }

    /** The share of requests that Squid's own log calls hits. */
    double hitRatio() throws IOException {
        List<String> lines = Files.readAllLines(directory.resolve("access.log"));
        long hits = lines.stream().filter(line -> line.contains("_HIT/")).count();
        return (double) hits / lines.size();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(15, TimeUnit.SECONDS)) {
            process.destroyForcibly();
        }
    }
}
