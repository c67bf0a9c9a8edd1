package dev.komainu.agent.discovery.configuration;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.Discovery;
import dev.komainu.agent.discovery.DiscoverySettings;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A server from this machine's packages, started and stopped by a test on a free loopback port. */
public final class RealServer implements AutoCloseable {

    private final Process process;
    private final int port;

    private RealServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Skips the test when the program is not installed, with the command that installs it. */
    public static void needs(String program, String debianPackage) {
        assumeTrue(
                Files.exists(Path.of(program)),
                () -> program + ": not found (expected: apt-get install " + debianPackage + ")");
    }

    /** Opens the directory to the user a server changes to. */
    public static void openToAll(Path directory) {
        run(List.of("chmod", "-R", "a+rwX", directory.toString()));
    }

    /** Starts the server and waits until its port accepts connections. */
    public static RealServer start(
            List<String> command, Path directory, int port, Map<String, String> environment)
            throws IOException {
        Path output = directory.resolve("output.log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        RealServer server = new RealServer(process, port);
        try {
            await(command.getFirst() + " on port " + port)
                    .atMost(Duration.ofSeconds(60))
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> {
                        if (!process.isAlive()) {
                            throw new AssertionError(command + ": " + Files.readString(output));
                        }
                        return server.isListening();
                    });
        } catch (RuntimeException | Error e) {
            server.close();
            throw e;
        }
        return server;
    }

    private boolean isListening() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    public int port() {
        return port;
    }

    public long processId() {
        return process.pid();
    }

    /** Returns the discovered server of its port. */
    public DiscoveredServer discovered() {
        try (Discovery discovery = new Discovery("here", DiscoverySettings.DEFAULTS)) {
            return discovery.scan().servers().stream()
                    .filter(server -> server.port() == port)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("port " + port + ": not discovered"));
        }
    }

    /** Returns the body of a response. */
    public String get(String path) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            String request = "GET " + path + " HTTP/1.0\r\nHost: 127.0.0.1:" + port + "\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            String answer =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            return answer.substring(answer.indexOf("\r\n\r\n") + 4);
        }
    }

    /** Returns a program's output on both streams. */
    public static String run(List<String> command) {
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                    .start();
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            process.waitFor(60, TimeUnit.SECONDS);
            return output;
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(command.toString(), e);
        }
    }

    @Override
    public void close() {
        process.destroy();
        if (!ended(5)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            ended(5);
        }
    }

    private boolean ended(int seconds) {
        try {
            return process.waitFor(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
