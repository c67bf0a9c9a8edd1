package dev.komainu.agent.discovery.apache;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** A real Apache with three prefork processes on a free loopback port; for tests. */
public final class ApacheServer implements AutoCloseable {

    private static final Path PROGRAM = Path.of("/usr/sbin/apache2");
    private static final Path MODULES = Path.of("/usr/lib/apache2/modules");

    private final Process process;
    private final int port;

    private ApacheServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    public static ApacheServer start(Path directory) throws IOException {
        if (!Files.isExecutable(PROGRAM)) {
            throw new AssertionError("apache2: not found (expected: apt-get install apache2-bin)");
        }
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        Path configuration = Files.writeString(
                directory.resolve("apache2.conf"),
                String.format(
                        Locale.ROOT,
                        """
                ServerName 127.0.0.1
                Listen 127.0.0.1:%2$d
                LoadModule mpm_prefork_module %3$s/mod_mpm_prefork.so
                LoadModule authz_core_module %3$s/mod_authz_core.so
                %4$s
                PidFile %1$s/pid
                ErrorLog %1$s/error.log
                Mutex file:%1$s
                StartServers 3
                MinSpareServers 3
                MaxSpareServers 3
                ServerLimit 3
                MaxRequestWorkers 3
                DocumentRoot %1$s
                """,
                        directory,
                        port,
                        MODULES,
                        "root".equals(System.getProperty("user.name"))
                                ? "User www-data\nGroup www-data"
                                : ""));
        // Apache ends by a signal to its whole process group. In the test's own group it would end
        // the tests.
        Process process = new ProcessBuilder(
                        "setsid",
                        PROGRAM.toString(),
                        "-d",
                        directory.toString(),
                        "-f",
                        configuration.toString(),
                        "-D",
                        "FOREGROUND")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output.log").toFile())
                .start();
        await("apache2 on port " + port).atMost(Duration.ofSeconds(60)).until(() -> {
            if (!process.isAlive()) {
                throw new AssertionError(
                        "apache2: " + Files.readString(directory.resolve("output.log")));
            }
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                return socket.isConnected();
            } catch (IOException e) {
                return false;
            }
        });
        return new ApacheServer(process, port);
    }

    public int port() {
        return port;
    }

    public long processId() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().orTimeout(60, TimeUnit.SECONDS).join();
    }
}
