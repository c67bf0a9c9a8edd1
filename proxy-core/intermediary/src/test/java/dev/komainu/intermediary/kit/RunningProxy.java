package dev.komainu.intermediary.kit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/** The proxy as a process of its own, for tests that need one: signals, limits of the kernel. */
public final class RunningProxy implements AutoCloseable {

    private static final int MAX_LINES = 100_000;

    private static final List<String> DEFAULT_SWITCHES = List.of(
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1");

    private final Process process;
    private final InetSocketAddress address;
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    /**
     * Starts a proxy with the default switches of the JVM.
     *
     * @param limit descriptors it may open; 0: as many as this process
     */
    public RunningProxy(int port, int limit, String... arguments) throws IOException {
        this(DEFAULT_SWITCHES, port, limit, arguments);
    }

    /**
     * Starts a proxy.
     *
     * @param switches of the JVM, in place of the default ones
     * @param limit descriptors it may open; 0: as many as this process
     */
    public RunningProxy(List<String> switches, int port, int limit, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>();
        if (limit > 0) {
            command.addAll(List.of("sh", "-c", "ulimit -n " + limit + "; exec \"$@\"", "sh"));
        }
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(switches);
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                "dev.komainu.proxy.ProxyServer",
                "--listen",
                "127.0.0.1:" + port,
                "--control",
                "none"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("KOMAINU_CONNECTIONS_MAX", "20000");
        builder.environment().put("KOMAINU_CONNECTIONS_MAX_PER_CLIENT", "20000");
        process = builder.start();
        BufferedReader out = new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        StringBuilder output = new StringBuilder();
        String line = out.readLine();
        while (line != null && !line.contains("listens at ")) {
            output.append(line).append('\n');
            line = out.readLine();
        }
        if (line == null) {
            throw new IOException("The proxy did not start: " + output);
        }
        address = new InetSocketAddress(
                "127.0.0.1", Integer.parseInt(line.substring(line.lastIndexOf(':') + 1)));
        Thread.ofVirtual().start(() -> out.lines().forEach(this::record));
    }

    /**
     * Records a line. A proxy that logs without end is killed before its lines fill the heap of the
     * test.
     */
    private void record(String line) {
        if (lines.size() < MAX_LINES) {
            lines.add(line);
        } else if (process.isAlive()) {
            System.err.println(
                    "More than " + MAX_LINES + " lines; the proxy is ended. The last one: " + line);
            process.destroyForcibly();
        }
    }

    /** Reports whether a line with this text was logged since the proxy listens. */
    public boolean hasLogged(String text) {
        return lines.stream().anyMatch(logged -> logged.contains(text));
    }

    public InetSocketAddress address() {
        return address;
    }

    public RawClient client() throws IOException {
        return new RawClient(address);
    }

    /** Returns the resident memory of the process. */
    public long residentBytes() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/" + process.pid() + "/status"))) {
            if (line.startsWith("VmRSS:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) * 1024;
            }
        }
        throw new IOException("VmRSS of " + process.pid());
    }

    /**
     * Sends a signal.
     *
     * @param name HUP, USR1, TERM, CONT or STOP
     */
    public void signal(String name) throws IOException, InterruptedException {
        signal(process, name);
    }

    /**
     * Sends a signal by its number: under a Turkish locale kill(1) of procps does not recognize
     * some names.
     */
    public static void signal(Process process, String name)
            throws IOException, InterruptedException {
        int number = switch (name) {
            case "HUP" -> 1;
            case "USR1" -> 10;
            case "TERM" -> 15;
            case "CONT" -> 18;
            case "STOP" -> 19;
            default ->
                throw new IllegalArgumentException(
                        name + " (expected: HUP, USR1, TERM, CONT or STOP)");
        };
        int code = new ProcessBuilder("kill", "-" + number, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (code != 0) {
            throw new IOException("kill -" + number + " (" + name + ") ended with " + code);
        }
        // The kernel stops the threads one by one after kill(1) has ended; until then they answer.
        while (name.equals("STOP") && process.isAlive() && !isStopped(process)) {
            Thread.onSpinWait();
        }
    }

    private static boolean isStopped(Process process) {
        try (Stream<Path> threads = Files.list(Path.of("/proc/" + process.pid() + "/task"))) {
            for (Path thread : threads.toList()) {
                String stat = Files.readString(thread.resolve("stat"));
                if (!stat.substring(stat.lastIndexOf(')')).startsWith(") T ")) {
                    return false;
                }
            }
            return true;
        } catch (IOException | UncheckedIOException e) {
            return false; // a thread ended meanwhile
        }
    }

    /** Sends SIGTERM. */
    public Process terminate() {
        process.destroy();
        return process;
    }

    /** Sends SIGKILL and waits until the process has ended. */
    public void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
