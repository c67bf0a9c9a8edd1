package dev.komainu.organizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * Organizers as processes on their own hosts, with a second network that contains no other host;
 * and networks that become available late.
 */
class HostsMeetTest {

    private static final String SEEDS = "{seeds: [10.77.0.1]}";
    private static final String MULTICAST = "{multicast: \"239.192.7.69:7690\"}";

    @TempDir
    Path directory;

    @Test
    void multicastOnly_membersMeet_seeOneGoAndReturn_andMergeAfterACut() throws Exception {
        try (Switch hosts = Switch.orSkip()) {
            Process last = null;
            for (int host = 1; host <= 3; host++) {
                hosts.host(host);
                hosts.address(host);
                hosts.link(host, true);
                last = organizer(hosts, host, MULTICAST);
            }
            awaitAgreement(hosts, 1, 2, 3);
            last.destroyForcibly();
            awaitAgreement(hosts, 1, 2);
            organizer(hosts, 3, MULTICAST);
            awaitAgreement(hosts, 1, 2, 3);
            hosts.plugged(1, false);
            awaitAgreement(hosts, 2, 3);
            awaitAgreement(hosts, 1);
            hosts.plugged(1, true);
            awaitAgreement(hosts, 1, 2, 3);
        }
    }

    @Test
    void linkIsDownAtTheStart_comesUp_memberIsInTheTable() throws Exception {
        for (String meet : List.of(SEEDS, MULTICAST)) {
            try (Switch hosts = Switch.orSkip()) {
                hosts.host(1);
                hosts.address(1);
                hosts.link(1, true);
                organizer(hosts, 1, meet);
                hosts.host(2);
                hosts.address(2);
                Process late = organizer(hosts, 2, meet);
                awaitAgreement(hosts, 1);
                // Its control endpoint responds: it has started alone.
                awaitAgreement(hosts, 2);
                assertThat(Files.readString(log(2)))
                        .contains(
                                "listens at 10.77.0.2:7690",
                                "  serves   h2.example/ from 127.0.0.1:9")
                        .contains("no other member yet")
                        .doesNotContain("dev.komainu", "EventLog", "joined: h2");
                hosts.link(2, true);
                awaitAgreement(hosts, 1, 2);
                assertThat(late.isAlive()).isTrue();
            }
        }
    }

    @Test
    void addressIsNotThere_exitCodeIs3_andItSaysWhichAddressesThereAre() throws Exception {
        try (Switch hosts = Switch.orSkip()) {
            hosts.host(1);
            Process process = organizer(hosts, 1, SEEDS);
            assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(3);
            assertThat(Files.readString(log(1)))
                    .startsWith(
                            "listen: 10.77.0.1:7690 (expected: an address of this machine, which has ")
                    .contains("10.78.0.1")
                    .hasLineCount(1);
        }
    }

    private Path log(int host) {
        return directory.resolve("h" + host + ".log");
    }

    private Process organizer(Switch hosts, int host, String meet) throws IOException {
        Path secret = directory.resolve("secret");
        Files.writeString(secret, "kf83Lq0ZxW7vTn2RbYc5Dm9JhGs1UePa");
        Path file = Files.writeString(
                directory.resolve("h" + host + ".yaml"),
                String.format(Locale.ROOT, """
                member: h%d
                listen: 10.77.0.%d
                secret-file: %s
                meet: %s
                serve: [{prefix: h%d.example/, server: "127.0.0.1:9"}]
                """, host, host, secret, meet, host));
        return hosts.start(
                host,
                log(host),
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx96m",
                        "-cp",
                        System.getProperty(
                                "surefire.test.class.path", System.getProperty("java.class.path")),
                        OrganizerServer.class.getName(),
                        "--config",
                        file.toString()));
    }

    /** Waits until exactly these members are in the table of each of them. */
    private static void awaitAgreement(Switch hosts, int... numbers) {
        List<String> names = new ArrayList<>();
        for (int number : numbers) {
            names.add("h" + number);
        }
        await().atMost(Duration.ofSeconds(180))
                .pollInterval(Duration.ofMillis(200))
                .until(() -> {
                    Set<Object> digests = new HashSet<>();
                    for (int number : numbers) {
                        Map<String, ?> page = new Yaml()
                                .load(hosts.said(
                                        number,
                                        "curl",
                                        "-s",
                                        "-m",
                                        "5",
                                        "http://127.0.0.1:7692/control/v1/members"));
                        if (page == null
                                || !(page.get("members") instanceof List<?> members)
                                || !members.stream()
                                        .map(member -> ((Map<?, ?>) member).get("member"))
                                        .toList()
                                        .equals(names)) {
                            return false;
                        }
                        digests.add(page.get("digest"));
                    }
                    return digests.size() == 1;
                });
    }
}
