package dev.komainu.central.oidc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.json.JsonMapper;

/**
 * A certified OpenID provider ({@code src/test/oidc-provider}) as a process of its own. Its login
 * page accepts every password. One thread.
 */
final class ProviderProcess implements AutoCloseable {

    private static final Path ROOM = room();

    private final int port;
    private final List<Map<String, Object>> clients;
    private final Map<String, Object> users = new LinkedHashMap<>();
    private Path log;
    private Process process;
    private BufferedReader out;
    private BufferedWriter in;

    private ProviderProcess(int port, List<Map<String, Object>> clients) {
        this.port = port;
        this.clients = clients;
    }

    /**
     * Creates a provider, which does not run yet.
     *
     * @param clients metadata of the registered clients
     */
    static ProviderProcess at(int port, List<Map<String, Object>> clients) {
        return new ProviderProcess(port, clients);
    }

    private static Path room() {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.isRegularFile(root.resolve("komainu"))) {
            root = root.getParent();
        }
        return root.resolve("src/test/oidc-provider");
    }

    String issuer() {
        return "http://127.0.0.1:" + port;
    }

    /** Adds or changes a user; the subject is the key. */
    ProviderProcess user(String subject, String name, String... groups) throws IOException {
        Map<String, Object> user = Map.of("name", name, "groups", List.of(groups));
        users.put(subject, user);
        if (process != null && process.isAlive()) {
            in.write(JsonMapper.shared().writeValueAsString(Map.of(subject, user)) + "\n");
            in.flush();
            awaitLine("changed");
        }
        return this;
    }

    /**
     * Starts the provider, with a new signing key.
     *
     * @param claimsInIdToken whether name and groups are in the ID token, not in UserInfo only
     */
    ProviderProcess start(boolean claimsInIdToken) throws IOException {
        assertThat(ROOM.resolve("node_modules"))
                .as("installed by ./komainu test, or by node install.mjs in %s", ROOM)
                .isDirectory();
        log = Files.createTempFile("openid-provider", ".log");
        process = new ProcessBuilder(
                        "node",
                        "provider.mjs",
                        JsonMapper.shared()
                                .writeValueAsString(Map.of(
                                        "port",
                                        port,
                                        "users",
                                        users,
                                        "clients",
                                        clients,
                                        "claimsInIdToken",
                                        claimsInIdToken)))
                .directory(ROOM.toFile())
                .redirectError(log.toFile())
                .start();
        out = process.inputReader(StandardCharsets.UTF_8);
        in = process.outputWriter(StandardCharsets.UTF_8);
        awaitLine("ready");
        return this;
    }

    /** Reads until a line; others are the provider's hints at settings. */
    private void awaitLine(String wanted) throws IOException {
        String line = out.readLine();
        while (line != null && !line.equals(wanted)) {
            line = out.readLine();
        }
        assertThat(line).as("the provider's output: %s", Files.readString(log)).isEqualTo(wanted);
    }

    void stop() {
        if (process != null) {
            process.destroyForcibly();
            try {
                assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            }
        }
    }

    @Override
    public void close() {
        stop();
    }
}
