package dev.komainu.proxy;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.komainu.intermediary.caching.ProxyClock;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * A start that fails: components opened before are closed, so that the next start finds all
 * resources free.
 */
class ProxyStartTest {

    @TempDir
    Path directory;

    private final Map<String, String> settings = new HashMap<>();
    private final int memberPort = freePort();
    private final int linePort = freePort();

    @BeforeEach
    void write() {
        settings.put("listen", "127.0.0.1:" + freePort());
        settings.put("origin", "http://127.0.0.1:9");
        settings.put("workers", "1");
        settings.put("cache.disk", directory.resolve("disk") + ":64MB");
        settings.put("log.access", directory.resolve("access.log").toString());
        settings.put("control.listen", "127.0.0.1:" + freePort());
    }

    private Proxy start() throws Exception {
        Path secret =
                Files.writeString(directory.resolve("secret"), "kf83Lq0ZxW7vTn2RbYc5Dm9JhGs1UePa");
        Map<String, ?> file = new Yaml()
                .load(String.format(Locale.ROOT, """
                organizer:
                  member: one
                  listen: "127.0.0.1:%d"
                  line: "127.0.0.1:%d"
                  secret-file: %s
                  meet: {seeds: ["127.0.0.1:%d"]}
                """, memberPort, linePort, secret, memberPort));
        return Proxy.start(
                ProxySettings.read(GivenSettings.reader(file, Map.of(), settings)),
                ProxyClock.SYSTEM,
                record -> {},
                Map::of);
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("komainu-"))
                .collect(Collectors.toSet());
    }

    private void failsAndLeavesNothing(Class<? extends IOException> failure, String message) {
        Set<Thread> before = threads();
        assertThatThrownBy(this::start).isInstanceOf(failure).hasMessageStartingWith(message);
        await().atMost(Duration.ofSeconds(60)).until(() -> before.containsAll(threads()));
    }

    private void thenStarts() throws Exception {
        try (Proxy proxy = start()) {
            assertThat(proxy.addresses()).hasSize(1);
            assertThat(proxy.controlAddress()).isNotNull();
            assertThat(proxy.disk()).isNotNull();
        }
    }

    @Test
    void addressIsTaken_theComponentsBeforeAreClosed() throws Exception {
        for (String key : new String[] {"listen", "control.listen"}) {
            String address = String.valueOf(settings.get(key));
            int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
            ServerSocket taken = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"));
            try (taken) {
                failsAndLeavesNothing(BindException.class, key + ": " + address);
            }
        }
        thenStarts();
    }

    @Test
    void addressOfTheLineIsTaken_theMembershipAndTheComponentsBeforeAreClosed() throws Exception {
        ServerSocket taken = new ServerSocket(linePort, 1, InetAddress.getByName("127.0.0.1"));
        try (taken) {
            failsAndLeavesNothing(BindException.class, "line: ");
        }
        thenStarts();
    }

    @Test
    void logCannotBeWritten_theStorageIsClosed() throws Exception {
        settings.put("log.access", directory.toString());
        failsAndLeavesNothing(IOException.class, "log.access: ");
        settings.put("log.access", directory.resolve("access.log").toString());
        thenStarts();
    }
}
