package dev.komainu.agent.connection;

import dev.komainu.agent.connection.exchange.PrivacyRules;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Limits and timeouts of the connection analyzer. Timeouts run on packet time.
 *
 * <pre>
 *  connection.max                1 to 16000000   beyond, each new one evicts one, which is counted; default 1000000,
 *                                                or what fits into half of the heap (32 MB: 55000)
 *  connection.max-exchanges      0 to 64000000   requests kept over all open connections; beyond, only counted;
 *                                                default 4000000, or what fits into a quarter of the heap
 *  connection.max-held-bytes     0 to 268435456  bytes of streams that came too early, kept until their turn, all
 *                                                connections together; beyond, they are read as unknown; default a
 *                                                sixteenth of the heap, 1 MB to 64 MB
 *  connection.handshake-timeout  ≥ 1 s, live 70 s         silence after which no-answer or half-open is recorded
 *  connection.idle-timeout       ≥ 1 s, live 1 h          the same for open connections
 *  connection.half-closed-timeout ≥ 1 s, live 5 min       the same after one FIN
 *  connection.linger             ≥ 0 s, live 2 s          how long an ended connection waits for late packets
 * </pre>
 *
 * @param maxConnections hard cap of the table
 * @param maxExchanges hard cap of the requests remembered
 * @param maxHeldBytes hard cap of the stream bytes kept until gaps close
 * @param serverPorts ports whose owner is taken as the server where no SYN was captured
 * @param handshakeTimeout Linux repeats a SYN after up to 64 s
 * @param pickUpAnything whether any packet opens an unknown connection (files), or only one with
 *     payload (live, where a late acknowledgement must not open an ended connection again)
 * @param followUnwatched whether connections to servers without a name are followed
 * @param privacy parts of client addresses and request targets that records may contain
 */
public record AnalyzerConfig(
        int maxConnections,
        int maxExchanges,
        int maxHeldBytes,
        Set<Integer> serverPorts,
        Duration handshakeTimeout,
        Duration idleTimeout,
        Duration halfClosedTimeout,
        Duration linger,
        boolean pickUpAnything,
        boolean followUnwatched,
        PrivacyRules privacy) {

    private static final int BYTES_PER_CONNECTION = 300;
    private static final int BYTES_PER_EXCHANGE = 116;

    /**
     * Checks the settings.
     *
     * @throws IllegalArgumentException listing every setting that is out of range
     */
    public AnalyzerConfig {
        serverPorts = Set.copyOf(serverPorts);
        List<String> problems = new ArrayList<>();
        range(problems, "connection.max", maxConnections, 1, 16_000_000);
        range(problems, "connection.max-exchanges", maxExchanges, 0, 64_000_000);
        range(problems, "connection.max-held-bytes", maxHeldBytes, 0, 1 << 28);
        range(
                problems,
                "connection.handshake-timeout",
                handshakeTimeout.toMillis(),
                1_000,
                Integer.MAX_VALUE);
        range(
                problems,
                "connection.idle-timeout",
                idleTimeout.toMillis(),
                1_000,
                Integer.MAX_VALUE);
        range(
                problems,
                "connection.half-closed-timeout",
                halfClosedTimeout.toMillis(),
                1_000,
                Integer.MAX_VALUE);
        range(problems, "connection.linger", linger.toMillis(), 0, Integer.MAX_VALUE);
        for (int port : serverPorts) {
            range(problems, "connection.server-ports", port, 1, 65_535);
        }
        if (!problems.isEmpty()) {
            throw new IllegalArgumentException(String.join("; ", problems));
        }
    }

    private static void range(
            List<String> problems, String name, long value, long least, long most) {
        if (value < least || value > most) {
            problems.add(name + ": " + value + " (expected: " + least + " to " + most + ")");
        }
    }

    /**
     * Returns the connections that fit into half of the heap: a row and its share of the index for
     * each. A flood must not end the process.
     */
    static int connectionsIn(long heapBytes) {
        return (int) Math.clamp(heapBytes / 2 / BYTES_PER_CONNECTION, 1_000, 1_000_000);
    }

    /**
     * Returns the exchanges that fit into a quarter of the heap: a row and two blocks of text for
     * each.
     */
    static int exchangesIn(long heapBytes) {
        return (int) Math.clamp(heapBytes / 4 / BYTES_PER_EXCHANGE, 1_000, 4_000_000);
    }

    static int heldIn(long heapBytes) {
        return (int) Math.clamp(heapBytes / 16, 1 << 20, 1 << 26);
    }

    /** Returns the limits for live traffic: records appear soon, and memory is released soon. */
    public static AnalyzerConfig live(Set<Integer> serverPorts) {
        long heap = Runtime.getRuntime().maxMemory();
        return new AnalyzerConfig(
                connectionsIn(heap),
                exchangesIn(heap),
                heldIn(heap),
                serverPorts,
                Duration.ofSeconds(70),
                Duration.ofHours(1),
                Duration.ofMinutes(5),
                Duration.ofSeconds(2),
                false,
                false,
                PrivacyRules.DEFAULT);
    }

    /**
     * Returns the limits for capture files: no connection is given up early, and every packet
     * belongs to a connection.
     */
    public static AnalyzerConfig file(Set<Integer> serverPorts) {
        long heap = Runtime.getRuntime().maxMemory();
        return new AnalyzerConfig(
                connectionsIn(heap),
                exchangesIn(heap),
                heldIn(heap),
                serverPorts,
                Duration.ofDays(1),
                Duration.ofDays(1),
                Duration.ofDays(1),
                Duration.ofMinutes(2),
                true,
                true,
                PrivacyRules.DEFAULT);
    }

    /** Returns a copy with another {@code maxConnections}. */
    public AnalyzerConfig withMaxConnections(int max) {
        return new AnalyzerConfig(
                max,
                maxExchanges,
                maxHeldBytes,
                serverPorts,
                handshakeTimeout,
                idleTimeout,
                halfClosedTimeout,
                linger,
                pickUpAnything,
                followUnwatched,
                privacy);
    }

    /** Returns a copy with another {@code maxHeldBytes}. */
    public AnalyzerConfig withMaxHeldBytes(int max) {
        return new AnalyzerConfig(
                maxConnections,
                maxExchanges,
                max,
                serverPorts,
                handshakeTimeout,
                idleTimeout,
                halfClosedTimeout,
                linger,
                pickUpAnything,
                followUnwatched,
                privacy);
    }

    /** Returns a copy that does not follow connections to servers without a name. */
    public AnalyzerConfig withoutUnwatched() {
        return new AnalyzerConfig(
                maxConnections,
                maxExchanges,
                maxHeldBytes,
                serverPorts,
                handshakeTimeout,
                idleTimeout,
                halfClosedTimeout,
                linger,
                pickUpAnything,
                false,
                privacy);
    }

    /**
     * Returns one thread's share of the limits, where each of {@code threads} threads follows a
     * part of the connections.
     */
    public AnalyzerConfig sharedBy(int threads) {
        return new AnalyzerConfig(
                Math.max(1, maxConnections / threads),
                maxExchanges / threads,
                maxHeldBytes / threads,
                serverPorts,
                handshakeTimeout,
                idleTimeout,
                halfClosedTimeout,
                linger,
                pickUpAnything,
                followUnwatched,
                privacy);
    }

    /** Returns a copy with another {@code privacy}. */
    public AnalyzerConfig withPrivacy(PrivacyRules other) {
        return new AnalyzerConfig(
                maxConnections,
                maxExchanges,
                maxHeldBytes,
                serverPorts,
                handshakeTimeout,
                idleTimeout,
                halfClosedTimeout,
                linger,
                pickUpAnything,
                followUnwatched,
                other);
    }
}
