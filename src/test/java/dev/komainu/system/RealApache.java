package dev.komainu.system;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.awaitility.Awaitility;

/**
 * An Apache prefork from Debian's packages on a free port of loopback. Its application waits as for
 * a database: a worker is taken while the CPU has time to spare. The workers are set in a file of
 * their own, as Debian does.
 */
final class RealApache implements AutoCloseable {

    private static final Path PROGRAM = Path.of("/usr/sbin/apache2");
    private static final Path MODULES = Path.of("/usr/lib/apache2/modules");

    private final Process process;
    private final int port;
    private final Path workers;
    private final Path pid;

    private RealApache(Process process, int port, Path workers, Path pid) {
        this.process = process;
        this.port = port;
        this.workers = workers;
        this.pid = pid;
    }

    /** @param workers MaxRequestWorkers; there is room for 2,000 */
    static RealApache start(int workers) throws IOException {
        if (!Files.isExecutable(PROGRAM)) {
            throw new AssertionError(
                    "apache2: not installed. Fix: apt-get install -y --no-install-recommends apache2");
        }
        int port;
        try (ServerSocket any = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = any.getLocalPort();
        }
        Path dir = Files.createTempDirectory("komainu-apache");
        Files.setPosixFilePermissions(
                dir, PosixFilePermissions.fromString("rwxr-xr-x")); // its children are another user
        Path mpm = Files.writeString(
                dir.resolve("mpm_prefork.conf"), String.format(Locale.ROOT, """
                StartServers 2
                MinSpareServers 2
                MaxSpareServers 8
                ServerLimit 2000
                MaxRequestWorkers %d
                """, workers));
        Files.writeString(dir.resolve("wait.lua"), """
                -- sleep: milliseconds of waiting
                function handle(r)
                  r.usleep(tonumber(string.match(r.args or "", "sleep=(%d+)") or 0) * 1000)
                  r.content_type = "text/plain"
                  r:puts(string.rep("komainu ", 64))
                  return apache2.OK
                end
                """);
        Path main = Files.writeString(
                dir.resolve("apache2.conf"),
                String.format(Locale.ROOT, """
                ServerName journey
                Listen 127.0.0.1:%1$d
                LoadModule mpm_prefork_module %3$s/mod_mpm_prefork.so
                LoadModule authz_core_module %3$s/mod_authz_core.so
                LoadModule lua_module %3$s/mod_lua.so
                User www-data
                Group www-data
                PidFile %2$s/pid
                Mutex file:%2$s
                ErrorLog %2$s/error.log
                KeepAlive Off
                LuaMapHandler ^/app %2$s/wait.lua handle
                Include %4$s
                """, port, dir, MODULES, mpm));
        // In a session of its own: Apache ends by a signal to its whole process group.
        Process process = new ProcessBuilder(
                        "setsid",
                        PROGRAM.toString(),
                        "-d",
                        dir.toString(),
                        "-f",
                        main.toString(),
                        "-D",
                        "FOREGROUND")
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("out.log").toFile())
                .start();
        RealApache apache = new RealApache(process, port, mpm, dir.resolve("pid"));
        try {
            Awaitility.await("Apache answers")
                    .atMost(Duration.ofSeconds(60))
                    .failFast("Apache ended: see " + dir, () -> !process.isAlive())
                    .until(() -> {
                        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
                            return socket.isConnected();
                        } catch (IOException e) {
                            return false;
                        }
                    });
        } catch (RuntimeException | Error e) {
            apache.close();
            throw e;
        }
        return apache;
    }

    int port() {
        return port;
    }

    /** The file that sets the workers. */
    Path workers() {
        return workers;
    }

    /** Workers there are just now. */
    long children() {
        return master().map(master -> master.children().count()).orElse(0L);
    }

    /** Whoever restarts it makes another process of it. */
    private Optional<ProcessHandle> master() {
        try {
            return ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty(); // between two of them
        }
    }

    @Override
    public void close() {
        end(process.toHandle());
        master().ifPresent(RealApache::end);
    }

    private static void end(ProcessHandle master) {
        master.destroy();
        try {
            master.onExit().get(20, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            master.descendants().forEach(ProcessHandle::destroyForcibly);
            master.destroyForcibly();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
