package dev.komainu.agent.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.kit.Capability;
import dev.komainu.telemetry.kit.Program;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Assumptions;

/**
 * Network namespaces of one test, taken down with everything started in them. Needs SYS_ADMIN,
 * NET_ADMIN and iproute2; else skips.
 */
public final class Lab implements AutoCloseable {

    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private final String prefix =
            "k" + ProcessHandle.current().pid() % 100_000 + "-" + NUMBERS.incrementAndGet() + "-";
    private final Deque<String> namespaces = new ArrayDeque<>();
    private final Deque<Process> processes = new ArrayDeque<>();

    private Lab() {}

    public static Lab orSkip() {
        Capability.need("network namespaces", Capability.SYS_ADMIN, Capability.NET_ADMIN);
        Program.need("ip");
        return new Lab();
    }

    /**
     * A server, a switch, a client and a probe that sees a copy of every packet at the server's
     * port.
     */
    public static Lab mirrored() {
        Lab lab = orSkip();
        boolean done = false;
        try {
            lab.mirror();
            done = true;
        } finally {
            if (!done) {
                lab.close();
            }
        }
        return lab;
    }

    private void mirror() {
        for (String name : List.of("server", "switch", "client", "probe")) {
            namespace(name);
        }
        cable("server", "srv0", "switch", "p1");
        cable("client", "cli0", "switch", "p2");
        cable("probe", "prb0", "switch", "p3");
        ip("switch", "link add br0 type bridge");
        for (String port : List.of("p1", "p2")) {
            ip("switch", "link set " + port + " master br0");
        }
        ip("switch", "link set br0 up");
        address("server", "srv0", "10.77.0.1/24");
        address("server", "srv0", "10.77.0.3/24");
        address("server", "srv0", "fd77::1/64");
        address("client", "cli0", "10.77.0.2/24");
        address("client", "cli0", "fd77::2/64");
        try {
            run("switch", "tc qdisc add dev p1 clsact");
            for (String way : List.of("ingress", "egress")) {
                for (String protocol : List.of("ip", "ipv6")) {
                    run(
                            "switch",
                            "tc filter add dev p1 " + way + " protocol " + protocol
                                    + " u32 match u32 0 0 action mirred egress mirror dev p3");
                }
            }
        } catch (AssertionError e) {
            Assumptions.abort(
                    "this kernel mirrors no packets (act_mirred, cls_u32): " + e.getMessage());
        }
    }

    public void namespace(String name) {
        run(null, "ip netns add " + prefix + name);
        namespaces.push(prefix + name);
        ip(name, "link set lo up");
    }

    /** A veth pair, both ends up. */
    public void cable(String one, String oneEnd, String other, String otherEnd) {
        run(
                null,
                "ip link add " + oneEnd + " netns " + prefix + one + " type veth peer name "
                        + otherEnd + " netns " + prefix + other);
        ip(one, "link set " + oneEnd + " up");
        ip(other, "link set " + otherEnd + " up");
    }

    /** @param prefixed such as {@code 10.0.0.1/24} */
    public void address(String name, String end, String prefixed) {
        ip(name, "addr add " + prefixed + " dev " + end + (prefixed.contains(":") ? " nodad" : ""));
    }

    /** {@code ip} within a namespace. */
    public void ip(String name, String arguments) {
        run(null, "ip -n " + prefix + name + " " + arguments);
    }

    /**
     * Runs a command to its end, within a namespace unless that is null; it must succeed. Returns
     * what it said.
     */
    public String run(String name, String command) {
        return run(name, List.of(command.split(" ")), 0);
    }

    /** As {@link #run(String, String)}, with the exit code it must have. */
    public String run(String name, List<String> command, int code) {
        try {
            Path said = Files.createTempFile("lab", ".txt");
            Process process = builder(name, command)
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            String words = Files.readString(said, StandardCharsets.ISO_8859_1);
            Files.delete(said);
            assertThat(process.waitFor()).as("%s: %s", command, words).isEqualTo(code);
            return words;
        } catch (IOException e) {
            throw new AssertionError(command + " could not be started: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    /** Starts a command within a namespace; it is killed with the lab at the latest. */
    public Process start(String name, Path output, List<String> command) throws IOException {
        Process process = builder(name, command)
                .redirectOutput(output.toFile())
                .redirectError(
                        output.resolveSibling(output.getFileName() + ".err").toFile())
                .start();
        processes.push(process);
        return process;
    }

    private ProcessBuilder builder(String name, List<String> command) {
        List<String> whole = new ArrayList<>();
        if (name != null) {
            whole.addAll(List.of("ip", "netns", "exec", prefix + name));
        }
        whole.addAll(command);
        return new ProcessBuilder(whole);
    }

    /** The agent's command line in a JVM like the launcher's. */
    public static List<String> agent(String... options) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx48m",
                "-cp",
                System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path")),
                "dev.komainu.agent.MonitorAgent"));
        command.addAll(List.of(options));
        return command;
    }

    @Override
    public void close() {
        for (Process process : processes) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        for (Process process : processes) {
            process.onExit().orTimeout(60, TimeUnit.SECONDS).join();
        }
        for (String namespace : namespaces) {
            run(null, "ip netns del " + namespace);
        }
    }
}
