package dev.komainu.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Hosts as network namespaces: each is at the other end of a link of this host, at
 * {@code NETWORK.NUMBER.2}; this host has {@code NETWORK.NUMBER.1} there, and all of them reach the
 * first of these addresses.
 */
final class NamespaceLinks implements AutoCloseable {

    // The kernel removes the links of a deleted namespace some time later, and test JVMs beside
    // each
    // other have the same process numbers: each instance has names of its own.
    private final String mark =
            "k" + Integer.toString(ThreadLocalRandom.current().nextInt(36 * 36 * 36 * 36), 36);
    private final String network;
    private final Deque<String> undo = new ArrayDeque<>();

    /**
     * Creates no link yet.
     *
     * @param network first half of the addresses: {@code 10.213}
     */
    NamespaceLinks(String network) {
        this.network = network;
    }

    /** Creates the host {@code a}, {@code b} or {@code c}, the first one first. */
    void add(String name) throws IOException, InterruptedException {
        String space = namespace(name);
        int number = number(name);
        run("ip netns add " + space);
        undo.push("ip netns del " + space);
        run("ip link add " + device(name) + " type veth peer name c netns " + space);
        undo.push("ip link del " + device(name));
        run("ip addr add " + network + "." + number + ".1/24 dev " + device(name));
        run("ip link set " + device(name) + " up");
        run("ip -n " + space + " addr add " + network + "." + number + ".2/24 dev c");
        run("ip -n " + space + " link set lo up");
        run("ip -n " + space + " link set c up");
        if (number > 1) {
            run("ip -n " + space + " route add " + network + ".1.0/24 via " + network + "." + number
                    + ".1");
        }
    }

    /** Returns the namespace of a host. */
    String namespace(String name) {
        return mark + "n" + name;
    }

    /** Returns this host's end of a link. */
    String device(String name) {
        return mark + name;
    }

    /** Returns the address of this host that all others reach. */
    String center() {
        return network + ".1.1";
    }

    /** Returns the address of a host. */
    String address(String name) {
        return network + "." + number(name) + ".2";
    }

    private static int number(String name) {
        return name.charAt(0) - 'a' + 1;
    }

    private static void run(String command) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(command.split(" ")).redirectErrorStream(true).start();
        String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", command, words).isZero();
    }

    @Override
    public void close() throws IOException, InterruptedException {
        while (!undo.isEmpty()) {
            run(undo.pop());
        }
    }
}
