package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.agent.lab.Lab;
import dev.komainu.agent.lab.Records;
import dev.komainu.agent.lab.WebServers;
import dev.komainu.telemetry.kit.Capability;
import dev.komainu.telemetry.record.ConnectionRecord;
import dev.komainu.telemetry.record.ServiceSighting;
import dev.komainu.telemetry.record.ServiceWindow;
import dev.komainu.telemetry.record.SourceStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The thesis's set-up: a probe on another host, at a switch's mirror port. An agent beside the
 * servers and the probe see the same packets, so they must report the same.
 */
class MirrorPortTest {

    /** The two points of capture lie a softirq apart; on a busy machine that takes some time. */
    private static final long BETWEEN_MICROS = 50_000;

    /**
     * Counts of packets that overtook others. On a busy machine two CPUs may swap the packets of a
     * connection between the two points of capture.
     */
    private static final Set<String> OVERTAKEN = Set.of(".up.outOfOrder", ".down.outOfOrder");

    @TempDir
    Path directory;

    private Lab lab;

    @BeforeEach
    void setUp() {
        Capability.need("captures of an agent", Capability.NET_RAW);
        lab = Lab.mirrored();
    }

    @AfterEach
    void tearDown() {
        if (lab != null) {
            lab.close();
        }
    }

    @Test
    void probe_sameTraffic_reportsEveryConnectionTheSame() throws Exception {
        WebServers.nginx(lab, "server", directory);
        boolean apache = WebServers.apache(lab, "server", directory);
        Path local = directory.resolve("local.jsonl");
        Path probe = directory.resolve("probe.jsonl");
        Process beside = lab.start(
                "server", local, Lab.agent("--node", "web", "--interface", "srv0", "--print"));
        Process apart = lab.start(
                "probe",
                probe,
                Lab.agent("--node", "probe", "--capture-only", "--interface", "prb0", "--print"));
        awaitCapture(local);
        awaitCapture(probe);
        awaitWindow(local, "web:80");

        visit("http://10.77.0.1/index.html http://10.77.0.1/big.bin http://10.77.0.1/none");
        visit("http://10.77.0.3/big.bin");
        visit("-g http://[fd77::1]/index.html http://[fd77::1]/big.bin");
        // Gives up in the middle: the client resets.
        lab.run(
                "client",
                List.of("curl", "-s", "-o", "/dev/null", "-m", "0.4", "http://10.77.0.1/slow"),
                28);
        lab.run("client", "ab -q -n 500 -c 20 http://10.77.0.1/index.html");
        lab.run("client", "ab -q -k -n 100 -c 5 http://10.77.0.1/big.bin");
        if (apache) {
            lab.run("client", "ab -q -k -n 200 -c 10 http://10.77.0.1:8080/index.html");
        }
        // A closed port refuses, an unused address does not respond: no servers.
        lab.run("client", List.of("curl", "-s", "-m", "2", "http://10.77.0.1:8000/"), 7);
        Set<String> servers = apache
                ? Set.of("10.77.0.1:80", "10.77.0.3:80", "[fd77::1]:80", "10.77.0.1:8080")
                : Set.of("10.77.0.1:80", "10.77.0.3:80", "[fd77::1]:80");
        await("the servers are reported")
                .atMost(Duration.ofSeconds(60))
                .until(() -> sighted(probe), servers::equals);
        stop(beside);
        stop(apart);

        Map<String, List<ConnectionRecord>> here = byTuple(local);
        Map<String, List<ConnectionRecord>> there = byTuple(probe);
        assertThat(here).hasSizeGreaterThan(apache ? 510 : 500);
        assertThat(there.keySet()).isEqualTo(here.keySet());
        List<String> swapped = new ArrayList<>();
        here.forEach((tuple, connections) -> {
            List<ConnectionRecord> others = there.get(tuple);
            assertThat(others).as(tuple).hasSameSizeAs(connections);
            for (int i = 0; i < connections.size(); i++) {
                List<String> all = Records.differences(
                        connections.get(i), others.get(i), BETWEEN_MICROS, Set.of(".service"));
                List<String> real = all.stream()
                        .filter(each -> OVERTAKEN.stream().noneMatch(each::startsWith))
                        .toList();
                assertThat(real).as(tuple).isEmpty();
                if (!all.isEmpty()) {
                    swapped.add(tuple + " " + all);
                }
            }
        });
        assertThat(swapped.size()).as("swapped: %s", swapped).isLessThanOrEqualTo(5);
        assertThat(arrivals(probe)).isEqualTo(arrivals(local));
        assertThat(sighted(probe)).isEqualTo(servers);
    }

    private static Set<String> sighted(Path printed) throws IOException {
        return Records.of(printed, ServiceSighting.class).stream()
                .map(ServiceSighting::service)
                .collect(Collectors.toSet());
    }

    /** On the switch itself every packet passes three interfaces, and the mirror's as well. */
    @Test
    void anyOnTheSwitch_everyPacketSeenSeveralTimes_countsOnce() throws Exception {
        WebServers.nginx(lab, "server", directory);
        Path local = directory.resolve("local.jsonl");
        Path any = directory.resolve("any.jsonl");
        // Otherwise the kernel merges small packets on one interface and not on the other.
        for (String end : List.of("server srv0", "client cli0")) {
            String[] place = end.split(" ");
            lab.run(place[0], "ip link set " + place[1] + " gso_max_segs 1");
        }
        Process beside = lab.start(
                "server", local, Lab.agent("--node", "web", "--interface", "srv0", "--print"));
        Process apart = lab.start(
                "switch",
                any,
                Lab.agent("--node", "switch", "--capture-only", "--interface", "any", "--print"));
        awaitCapture(local);
        awaitCapture(any);
        awaitWindow(local, "web:80");

        lab.run("client", "ab -q -n 200 -c 10 http://10.77.0.1/index.html");
        visit("-g http://[fd77::1]/index.html");
        await("seen").atMost(Duration.ofSeconds(60)).until(() -> arrivals(any) >= 201);
        stop(beside);
        stop(apart);

        Map<String, List<ConnectionRecord>> here = byTuple(local);
        Map<String, List<ConnectionRecord>> there = byTuple(any);
        assertThat(there.keySet()).isEqualTo(here.keySet());
        here.forEach((tuple, connections) -> assertThat(Records.differences(
                        connections, there.get(tuple), BETWEEN_MICROS, Set.of("[].service")))
                .as(tuple)
                .isEmpty());
        assertThat(Records.of(any, SourceStatus.class).getLast().drops())
                .anyMatch(drops -> drops.reason().equals("seen-twice") && drops.count() > 2_000);
    }

    private void visit(String addresses) {
        List<String> command = new ArrayList<>(List.of("curl", "-s"));
        for (String address : addresses.split(" ")) {
            if (!address.startsWith("-")) {
                command.addAll(List.of("-o", "/dev/null"));
            }
            command.add(address);
        }
        lab.run("client", command, 0);
    }

    private static long arrivals(Path printed) throws IOException {
        return Records.of(printed, ServiceWindow.class).stream()
                .mapToLong(window -> window.connections().arrivals())
                .sum();
    }

    private static Map<String, List<ConnectionRecord>> byTuple(Path printed) throws IOException {
        return Records.of(printed, ConnectionRecord.class).stream()
                .sorted(Comparator.comparingLong(
                        connection -> connection.times().startMicros()))
                .collect(Collectors.groupingBy(
                        connection -> connection.client() + " " + connection.server(),
                        TreeMap::new,
                        Collectors.toList()));
    }

    private static void awaitCapture(Path printed) {
        await("capture")
                .atMost(Duration.ofSeconds(60))
                .until(() -> Records.of(printed, SourceStatus.class).stream()
                        .anyMatch(status -> !status.watching().isEmpty()));
    }

    private static void awaitWindow(Path printed, String service) {
        await("windows of " + service)
                .atMost(Duration.ofSeconds(60))
                .until(() -> Records.of(printed, ServiceWindow.class).stream()
                        .anyMatch(window -> window.service().equals(service)));
    }

    private static void stop(Process agent) throws InterruptedException {
        agent.destroy();
        assertThat(agent.waitFor(60, TimeUnit.SECONDS)).as("stopped").isTrue();
    }
}
