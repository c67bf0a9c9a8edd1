package dev.komainu.organizer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.kit.Capability;
import dev.komainu.telemetry.kit.Program;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Hosts as network namespaces at one switch, each with {@code eth0} at 10.77.0.N and
 * {@code other0}, which has all routes and no other host; and the processes in them. Needs
 * SYS_ADMIN, NET_ADMIN and iproute2; otherwise the test is skipped.
 */
final class Switch implements AutoCloseable {

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final String tag =
            "ks" + ProcessHandle.current().pid() % 100_000 + "-" + NUMBERS.incrementAndGet() + "-";
    private final Deque<String> namespaces = new ArrayDeque<>();
    private final Deque<Process> processes = new ArrayDeque<>();

    private Switch() {}

    static Switch orSkip() {
        Capability.need("network namespaces", Capability.SYS_ADMIN, Capability.NET_ADMIN);
        Program.need("ip");
        Switch made = new Switch();
        boolean done = false;
        try {
            made.namespace("switch");
            made.ip("switch", "link add bridge0 type bridge");
            made.ip("switch", "link set bridge0 up");
            done = true;
        } finally {
            if (!done) {
                made.close();
            }
        }
        return made;
    }

    /** Creates host N, with its link down and without an address. */
    void host(int number) {
        String name = "h" + number;
        namespace(name);
        run("ip link add eth0 netns " + tag + name + " type veth peer name p" + number + " netns "
                + tag + "switch");
        ip("switch", "link set p" + number + " master bridge0 up");
        ip(name, "link add other0 type veth peer name other1");
        ip(name, "addr add 10.78.0." + number + "/24 dev other0");
        ip(name, "link set other0 up");
        ip(name, "link set other1 up");
        ip(name, "route add default dev other0");
        ip(name, "route add 224.0.0.0/4 dev other0");
    }

    void address(int number) {
        ip("h" + number, "addr add 10.77.0." + number + "/24 dev eth0");
    }

    void link(int number, boolean up) {
        ip("h" + number, "link set eth0 " + (up ? "up" : "down"));
    }

    void plugged(int number, boolean in) {
        ip("switch", "link set p" + number + (in ? " master bridge0" : " nomaster"));
    }

    /** Starts a command on a host; it is killed at the latest when the switch is closed. */
    Process start(int number, Path output, List<String> command) throws IOException {
        Process process = builder(number, command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        processes.push(process);
        return process;
    }

    /** Runs a command on a host to its end and returns its output, with any exit code. */
    String said(int number, String... command) throws IOException, InterruptedException {
        Process process = builder(number, List.of(command))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return said;
    }

    private ProcessBuilder builder(int number, List<String> command) {
        List<String> whole = new ArrayList<>(List.of("ip", "netns", "exec", tag + "h" + number));
        whole.addAll(command);
        return new ProcessBuilder(whole);
    }

    private void namespace(String name) {
        run("ip netns add " + tag + name);
        namespaces.push(tag + name);
        ip(name, "link set lo up");
    }

    private void ip(String name, String arguments) {
        run("ip -n " + tag + name + " " + arguments);
    }

    private static void run(String command) {
        try {
            Process process = new ProcessBuilder(command.split(" "))
                    .redirectErrorStream(true)
                    .start();
            String said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor()).as("%s: %s", command, said).isZero();
        } catch (IOException e) {
            throw new AssertionError(command + " could not be started: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    @Override
    public void close() {
        for (Process process : processes) {
            process.destroyForcibly();
        }
        for (Process process : processes) {
            process.onExit().orTimeout(60, TimeUnit.SECONDS).join();
        }
        for (String namespace : namespaces) {
            run("ip netns del " + namespace);
        }
    }
}
