package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.telemetry.kit.GoldenFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Disk tiers of earlier releases: what they stored is served, what was purged stays purged. */
class GoldenDiskTest {

    @TempDir
    Path directory;

    static List<Path> releases() {
        return GoldenFiles.releasesWith("disk.zip");
    }

    private static String body(String name, int i) {
        return "<!doctype html><title>" + name + " " + i + "</title>"
                + ("golden " + name + " " + i + " ").repeat(4000);
    }

    private static RawClient.Answer get(RawClient client, String path) throws IOException {
        client.send("GET " + path + " HTTP/1.1\r\nHost: golden.example\r\n\r\n");
        return client.read(false);
    }

    private static RawClient.Answer getUnless(RawClient client, String path, String tag)
            throws IOException {
        client.send("GET " + path + " HTTP/1.1\r\nHost: golden.example\r\nIf-None-Match: " + tag
                + "\r\n\r\n");
        return client.read(true);
    }

    @ParameterizedTest
    @MethodSource("releases")
    void start_onAnEarlierReleasesDisk_servesItAndNothingPurged(Path release) {
        GoldenFiles.check(release, "disk.zip", "disk tier", () -> start(release));
    }

    private void start(Path release) throws Exception {
        Path disk = GoldenFiles.unpack(release, "disk", directory.resolve("disk"));
        List<String> stored = Files.readAllLines(release.resolve("expected/disk.txt"));
        List<String> purged = List.of(
                "/purged/1.html",
                "/prefix/1.html",
                "/prefix/30.html",
                "/tagged/1.html",
                "/tagged/30.html");
        assertThat(stored).hasSizeGreaterThan(40).doesNotContainAnyElementsOf(purged);
        try (ScriptedOrigin origin = new ScriptedOrigin()) {
            for (String path : purged) {
                origin.ok(path, "", "new");
            }
            try (ProxyFixture proxy = new ProxyFixture(
                            "origin",
                            origin.url(),
                            "cache.memory",
                            "1MB",
                            "cache.policy",
                            "lru",
                            "cache.disk",
                            disk + ":64MB",
                            "cache.max-object-share",
                            "0.25",
                            "peak.loop-delay",
                            "10s",
                            "peak.read-latency",
                            "10s",
                            "peak.enter",
                            "10m");
                    RawClient client = proxy.client()) {
                for (String path : stored) {
                    String[] parts = path.substring(1).replace(".html", "").split("/");
                    RawClient.Answer answer = get(client, path);
                    assertThat(answer.field("Cache-Status")).as(path).contains("hit");
                    assertThat(answer.body())
                            .as(path)
                            .isEqualTo(body(parts[0], Integer.parseInt(parts[1])));
                    assertThat(origin.count(path)).as(path).isZero();
                    Instant dated = Instant.from(
                            DateTimeFormatter.RFC_1123_DATE_TIME.parse(answer.field("Date")));
                    assertThat(Duration.ofSeconds(Long.parseLong(answer.field("Age"))))
                            .as("age of %s", path)
                            .isCloseTo(
                                    Duration.between(dated, Instant.now()), Duration.ofMinutes(1));
                    assertThat(getUnless(client, path, answer.field("ETag")).status())
                            .as("%s with its own ETag", path)
                            .isEqualTo(304);
                }
                for (String path : purged) {
                    assertThat(get(client, path).body()).as(path).isEqualTo("new");
                }
                assertThat(proxy.proxy.disk().figures().upkeep().damaged())
                        .as("damaged stretches")
                        .isZero();
            }
        }
    }
}
