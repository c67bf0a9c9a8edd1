package dev.komainu.central.store;

import static dev.komainu.telemetry.kit.FreePort.freePort;

import dev.komainu.central.clickhouse.ClickHouseSettings;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.SettingSource;
import dev.komainu.telemetry.kit.Program;
import dev.komainu.telemetry.kit.Signals;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/**
 * A ClickHouse server with data of its own in a temporary directory, on ports of loopback. It ends
 * with the thread that started it, at the latest.
 */
public final class ClickHouseServer implements AutoCloseable {

    public static final String USER = "komainu";
    public static final String PASSWORD = "o'clock & ${100}% 神";

    private static final String PROGRAM = "clickhouse-server";
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static @Nullable ClickHouseServer shared;

    private final Path directory;
    private final int port;
    private final int tlsPort;
    private final HttpClient http = HttpClient.newHttpClient();
    private @Nullable Process process;
    private int databases;

    private ClickHouseServer(Path directory, int port, int tlsPort) {
        this.directory = directory;
        this.port = port;
        this.tlsPort = tlsPort;
    }

    /** Skips the test where Debian's server, version 18.16, is not installed. */
    public static void need() {
        Program.need(PROGRAM);
    }

    /** Returns a server that tests share, each with a database of its own. */
    public static synchronized ClickHouseServer shared() {
        ClickHouseServer server = shared;
        if (server == null) {
            server = start("");
            shared = server;
        }
        return server;
    }

    /** Starts a server of the caller's own. */
    public static ClickHouseServer own() {
        return start("");
    }

    /**
     * Starts a server of the caller's own that logs all statements by default, as newer versions
     * do, and refuses inserts into tables with a few parts of a day.
     */
    static ClickHouseServer withLogs(int partsLimit) {
        return start(
                """
                <query_log><database>system</database><table>query_log</table>
                  <partition_by>toYYYYMM(event_date)</partition_by>
                  <flush_interval_milliseconds>100</flush_interval_milliseconds></query_log>
                <merge_tree><parts_to_delay_insert>%3$d</parts_to_delay_insert>
                  <parts_to_throw_insert>%3$d</parts_to_throw_insert></merge_tree>
                """.replace("%3$d", Integer.toString(partsLimit)), "<log_queries>1</log_queries>");
    }

    /**
     * Starts a server of the caller's own that also serves HTTPS.
     *
     * @param certificate file in PEM
     * @param key file in PEM
     */
    public static ClickHouseServer withTls(Path certificate, Path key) {
        return start("""
                <https_port>%1$d</https_port>
                <openSSL><server>
                  <certificateFile>%2$s</certificateFile>
                  <privateKeyFile>%3$s</privateKeyFile>
                  <verificationMode>none</verificationMode>
                  <loadDefaultCAFile>false</loadDefaultCAFile>
                  <disableProtocols>sslv2,sslv3</disableProtocols>
                </server></openSSL>
                """.replace("%2$s", certificate.toString()).replace("%3$s", key.toString()));
    }

    /** Starts a server of the caller's own with further settings. */
    static ClickHouseServer with(String settings) {
        return start(settings);
    }

    private static ClickHouseServer start(String further) {
        return start(further, "");
    }

    private static ClickHouseServer start(String further, String profile) {
        try {
            Path directory = Files.createTempDirectory("komainu-clickhouse");
            ClickHouseServer server = new ClickHouseServer(directory, freePort(), freePort());
            server.configure(further.replace("%1$d", Integer.toString(server.tlsPort)), profile);
            server.start();
            Runtime.getRuntime().addShutdownHook(new Thread(server::close));
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void configure(String further, String profile) throws IOException {
        Files.writeString(directory.resolve("config.xml"), """
                <yandex>
                  <logger><level>warning</level><log>%1$s/log</log><errorlog>%1$s/errors</errorlog></logger>
                  <http_port>%2$d</http_port>
                  <listen_host>127.0.0.1</listen_host>
                  <path>%1$s/data/</path>
                  <tmp_path>%1$s/tmp/</tmp_path>
                  <users_config>users.xml</users_config>
                  <default_profile>default</default_profile>
                  <default_database>default</default_database>
                  <mark_cache_size>16777216</mark_cache_size>
                  <uncompressed_cache_size>0</uncompressed_cache_size>
                  <timezone>Asia/Tokyo</timezone>
                  <mlock_executable>false</mlock_executable>
                  %3$s
                </yandex>
                """.replace("%3$s", further)
                .replace("%1$s", directory.toString())
                .replace("%2$d", Integer.toString(port)));
        Files.writeString(directory.resolve("users.xml"), """
                <yandex>
                  <profiles><default>%p</default></profiles>
                  <quotas><default/></quotas>
                  <users><komainu>
                    <password>%s</password>
                    <networks><ip>127.0.0.1</ip></networks>
                    <profile>default</profile><quota>default</quota>
                  </komainu></users>
                </yandex>
                """.replace("%p", profile)
                .replace("%s", PASSWORD.replace("&", "&amp;")));
        Files.writeString(directory.resolve("password"), PASSWORD + "\n");
    }

    /** Starts the ended server on its port, with its data. */
    public void start() {
        try {
            process = new ProcessBuilder(
                            "setpriv",
                            "--pdeathsig",
                            "KILL",
                            Program.need(PROGRAM).toString(),
                            "--config-file=" + directory.resolve("config.xml"))
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            directory.resolve("output").toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Awaitility.await("ClickHouse answers")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(50))
                .ignoreExceptions()
                .until(() -> ask("SELECT 1").equals("1\n"));
    }

    /** Returns the address of a database as {@code komainu.records.url}. */
    public String url(String database) {
        return "http://127.0.0.1:" + port + "/" + database;
    }

    /** Returns the address of a database by HTTPS. */
    public String tlsUrl(String host, String database) {
        return "https://" + host + ":" + tlsPort + "/" + database;
    }

    /** Returns the file with the password of {@link #USER}. */
    public Path passwordFile() {
        return directory.resolve("password");
    }

    /** Returns the name of a database that does not exist yet. */
    public synchronized String newDatabase() {
        return "test" + ++databases;
    }

    /** Returns the settings of a database, with these further ones. */
    public ClickHouseSettings settings(String database, Map<String, String> further) {
        return settings(url(database), passwordFile(), further);
    }

    static ClickHouseSettings settings(String url, Path password, Map<String, String> further) {
        Map<String, String> all = new HashMap<>(Map.of(
                "komainu.records.url",
                url,
                "komainu.records.user",
                USER,
                "komainu.records.password-file",
                password.toString()));
        all.putAll(further);
        return ClickHouseSettings.read(new SettingReader(List.of(SettingSource.commandLine(all))));
    }

    /** Runs a statement and returns its result, with tabs between the columns. */
    public String ask(String sql) {
        String login = Base64.getEncoder()
                .encodeToString((USER + ":" + PASSWORD).getBytes(StandardCharsets.UTF_8));
        try {
            HttpResponse<String> response = http.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/"))
                            .timeout(PATIENCE)
                            .header("Authorization", "Basic " + login)
                            .POST(HttpRequest.BodyPublishers.ofString(sql))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new IllegalStateException(sql + ": " + response.body());
            }
            return response.body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Stops the process where it is, as a machine that hangs. */
    public void freeze() {
        Signals.freeze(running());
    }

    public void thaw() {
        Signals.thaw(running());
    }

    /** Ends the server at once (SIGKILL), as a crash does. */
    public void kill() {
        Process server = running();
        server.destroyForcibly();
        server.onExit().join();
    }

    boolean isRunning() {
        return running().isAlive();
    }

    private Process running() {
        return Objects.requireNonNull(process);
    }

    @Override
    public void close() {
        Process server = process;
        if (server != null && server.isAlive()) {
            kill();
        }
        try {
            FileSystemUtils.deleteRecursively(directory);
        } catch (IOException e) {
            // A temporary directory of a test
        }
    }
}
