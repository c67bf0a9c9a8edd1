package dev.komainu.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.kit.Capability;
import dev.komainu.telemetry.kit.Nightly;
import dev.komainu.telemetry.kit.Program;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;

/**
 * The clients of one server come over three links. Each probe watches some of the links, and in
 * some cases one probe is killed in the middle. Whatever adds up connections must come to the
 * server's own count. Connections that only the killed probe saw count up to the last second that
 * it reported.
 */
class SplitViewsIT {

    /** Cases that are run: names with commas, or all; each takes half a minute and its load. */
    private static final String CASES = System.getProperty(
            "split.cases", Nightly.isOn() ? "all" : "OVERLAPPING_OF_TWO,ONE_OF_THREE_KILLED");

    /** Connections of each case. */
    private static final int CONNECTIONS = Integer.getInteger("split.connections", 900);

    /** Connections a second over each link. */
    private static final int PER_SECOND = Integer.getInteger("split.per-second", 60);

    /** Seconds looked at before the first connection. */
    private static final int BEFORE = 3;

    private static final NamespaceLinks LINKS = new NamespaceLinks("10.213");
    private static Platform platform;

    private final Map<String, Process> probes = new LinkedHashMap<>();

    /** The links that each probe watches; a probe that is killed is the first. */
    enum Case {
        EQUAL_OF_TWO("equal", false, "abc", "abc"),
        DISJOINT_OF_TWO("disjoint", false, "ab", "c"),
        OVERLAPPING_OF_TWO("overlapping", false, "ab", "bc"),
        EQUAL_OF_THREE("equal", false, "abc", "abc", "abc"),
        DISJOINT_OF_THREE("disjoint", false, "a", "b", "c"),
        OVERLAPPING_OF_THREE("overlapping", false, "ab", "bc", "ca"),
        ONE_OF_TWO_KILLED("overlapping", true, "ab", "bc"),
        ONE_OF_THREE_KILLED("overlapping", true, "ab", "bc", "ca");

        final String relation;
        final boolean isOneKilled;
        final List<String> views;

        Case(String relation, boolean isOneKilled, String... views) {
            this.relation = relation;
            this.isOneKilled = isOneKilled;
            this.views = List.of(views);
        }

        /** Returns the links that only the first probe watches. */
        List<String> onlyOfFirst() {
            String others = String.join("", views.subList(1, views.size()));
            return views.getFirst()
                    .chars()
                    .mapToObj(Character::toString)
                    .filter(link -> !others.contains(link))
                    .toList();
        }
    }

    @BeforeAll
    static void linksAndPlatform() throws Exception {
        Capability.need(
                "captures and network namespaces",
                Capability.NET_RAW,
                Capability.NET_ADMIN,
                Capability.SYS_ADMIN);
        Program.need("ip");
        for (String link : List.of("a", "b", "c")) {
            LINKS.add(link);
        }
        platform =
                Platform.up(Map.of("KOMAINU_AGENT_MODE", "host-only", "KOMAINU_MORE_PARTS", "any"));
    }

    @AfterAll
    static void down() throws Exception {
        try {
            if (platform != null) {
                platform.close();
            }
        } finally {
            LINKS.close();
        }
    }

    @AfterEach
    void stopProbes() throws InterruptedException {
        for (Process probe : probes.values()) {
            probe.destroy();
        }
        for (Process probe : probes.values()) {
            if (!probe.waitFor(20, TimeUnit.SECONDS)) {
                probe.destroyForcibly();
            }
        }
    }

    static List<Case> cases() {
        return CASES.equals("all")
                ? List.of(Case.values())
                : Arrays.stream(CASES.split(",")).map(Case::valueOf).toList();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void probesOfSeveralLinks_everyConnectionCountsOnceInEveryTotal(Case views) throws Exception {
        try (CountingServer server = new CountingServer(InetAddress.ofLiteral("10.213.1.1"))) {
            String address = "10.213.1.1:" + server.port();
            try {
                measure(views, server, address);
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(evidence(server, address), e);
            }
        }
    }

    private void measure(Case views, CountingServer server, String address) throws Exception {
        for (String links : views.views) {
            probe(views, address, links);
        }
        Awaitility.await("the connections of " + views.views)
                .atMost(Duration.ofSeconds(120))
                .until(() -> views(address).path("sources").size() == views.views.size());
        // A step of ten seconds tells a rate: all of its seconds must have been watched.
        long watched = Instant.now().getEpochSecond() + 1;
        Awaitility.await("every second of the first step is watched")
                .atMost(Duration.ofSeconds(60))
                .until(() -> (Instant.now().getEpochSecond() - BEFORE) / 10 * 10 > watched);
        Instant begun = Instant.now().truncatedTo(ChronoUnit.SECONDS).minusSeconds(BEFORE);

        Map<String, TreeMap<Long, Integer>> begunByLink = load(server, views.isOneKilled);

        // Sources and their relation are told for some seconds after the last connection.
        JsonNode told = Awaitility.await("the relation of the views")
                .atMost(Duration.ofSeconds(15))
                .until(
                        () -> views(address),
                        it -> it.path("relation").asString("").equals(views.relation));
        assertThat(told.path("estimated").asBoolean(true)).isFalse();
        if (views.isOneKilled) {
            JsonNode missing = Awaitility.await("the killed probe is told as missing")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> views(address).path("missing"), it -> it.size() == 1)
                    .path(0);
            assertThat(missing.path("source").asString())
                    .isEqualTo("agent@" + probes.keySet().iterator().next());
            long last = Instant.parse(missing.path("lastSecond").asString()).getEpochSecond();
            // The first packet comes after the client began, and before the server accepts.
            long begunAfter = 0;
            long acceptedAfter = 0;
            for (String link : views.onlyOfFirst()) {
                acceptedAfter += server.acceptedAfter(link, last);
                begunAfter += begunByLink.get(link).tailMap(last, false).values().stream()
                        .mapToInt(Integer::intValue)
                        .sum();
            }
            assertTotals(
                    address,
                    begun,
                    server.accepted() - acceptedAfter,
                    server.accepted() - begunAfter);
        } else {
            assertTotals(address, begun, server.accepted(), server.accepted());
        }
        for (String reason : List.of("late", "withoutRoom", "ahead", "setBack")) {
            assertThat(views(address).path(reason).asLong(-1)).as(reason).isZero();
        }
        System.out.println(views + ": " + server.accepted() + " connections, counted "
                + sum(address, begun, 1) + ", " + views(address));
    }

    private void probe(Case views, String address, String links) throws IOException {
        String name = views.name().toLowerCase(Locale.ROOT).replace('_', '-') + "-" + probes.size();
        List<String> command = new ArrayList<>(List.of(
                Platform.ROOT.resolve("komainu").toString(),
                "agent",
                "--node",
                name,
                "--capture-only",
                "--service",
                address,
                "--central",
                platform.url(),
                "--token-file",
                platform.data().resolve("tokens/ingest.token").toString(),
                "--data",
                platform.data().resolve(name).toString()));
        links.chars()
                .forEach(link -> command.addAll(
                        List.of("--interface", LINKS.device(Character.toString((char) link)))));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("KOMAINU_BUILT", "yes");
        Path log = platform.data().resolve("log/" + name + ".log");
        probes.put(
                name,
                builder.redirectErrorStream(true).redirectOutput(log.toFile()).start());
    }

    private static JsonNode views(String address) throws InterruptedException {
        return platform.tryGet("/api/v1/services/" + address).path("views");
    }

    /**
     * Connects over all links; kills the first probe when a half is done.
     *
     * @return connections begun, by link and second
     */
    private Map<String, TreeMap<Long, Integer>> load(CountingServer server, boolean isOneKilled)
            throws Exception {
        Map<String, Process> loads = new LinkedHashMap<>();
        int each = CONNECTIONS / 3;
        for (String name : List.of("a", "b", "c")) {
            loads.put(
                    name,
                    new ProcessBuilder(
                                    "ip",
                                    "netns",
                                    "exec",
                                    LINKS.namespace(name),
                                    Path.of(System.getProperty("java.home"), "bin/java")
                                            .toString(),
                                    "-cp",
                                    System.getProperty("java.class.path"),
                                    ManyConnections.class.getName(),
                                    "10.213.1.1",
                                    "" + server.port(),
                                    "" + each,
                                    "" + PER_SECOND)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start());
        }
        if (isOneKilled) {
            Awaitility.await("a half of the load")
                    .atMost(Duration.ofSeconds(600))
                    .until(() -> server.accepted() >= 3L * each / 2);
            probes.values().iterator().next().destroyForcibly();
        }
        Map<String, TreeMap<Long, Integer>> begun = new TreeMap<>();
        for (Map.Entry<String, Process> load : loads.entrySet()) {
            List<String> words = new String(
                            load.getValue().getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            assertThat(load.getValue().waitFor()).isZero();
            assertThat(words.getFirst()).isEqualTo("" + each);
            TreeMap<Long, Integer> bySecond = new TreeMap<>();
            for (String line : words.subList(1, words.size())) {
                String[] secondAndCount = line.split(" ");
                bySecond.put(
                        Long.parseLong(secondAndCount[0]), Integer.parseInt(secondAndCount[1]));
            }
            begun.put(load.getKey(), bySecond);
        }
        assertThat(server.accepted()).isEqualTo(3L * each);
        return begun;
    }

    /** From memory, then, from before the start of the centre, out of the store. */
    private static void assertTotals(String address, Instant begun, long least, long most) {
        for (int step : new int[] {1, 10}) {
            for (Instant from : new Instant[] {begun, begun.minusSeconds(900)}) {
                Awaitility.await("connections in steps of " + step + " s from " + from)
                        .atMost(Duration.ofSeconds(60))
                        .pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofSeconds(1))
                        .untilAsserted(
                                () -> assertThat(sum(address, from, step)).isBetween(least, most));
            }
        }
    }

    private static long sum(String address, Instant from, int step)
            throws IOException, InterruptedException {
        JsonNode series = platform.get("/api/v1/services/" + address
                + "/series?index=connectionsPerSecond&stepSeconds=" + step + "&from=" + from
                + "&to=" + Instant.now().plusSeconds(2).truncatedTo(ChronoUnit.SECONDS));
        assertThat(series.path("stepSeconds").asInt()).isEqualTo(step);
        double sum = 0;
        for (JsonNode value : series.path("columns").path("connectionsPerSecond")) {
            sum += value.asDouble(0) * step;
        }
        return Math.round(sum);
    }

    /** Returns what explains a wrong total: the server's count, the centre's, and the losses. */
    private String evidence(CountingServer server, String address) throws Exception {
        StringBuilder evidence = new StringBuilder("server: " + server.accepted() + "; views: "
                + views(address) + "; server by second: " + server.bySecond());
        Instant to = Instant.now().truncatedTo(ChronoUnit.SECONDS);
        evidence.append("; centre by second: ")
                .append(platform.tryGet("/api/v1/services/" + address
                                + "/series?index=connectionsPerSecond&stepSeconds=1&from="
                                + to.minusSeconds(120) + "&to=" + to)
                        .path("columns"));
        for (JsonNode source : platform.tryGet("/api/v1/sources").path("items")) {
            evidence.append("; ").append(source);
        }
        return evidence.toString();
    }
}
