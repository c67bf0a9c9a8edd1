package dev.komainu.central.control;

import static dev.komainu.telemetry.kit.FreePort.freePort;

import dev.komainu.telemetry.kit.Signals;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.util.FileSystemUtils;

/**
 * A PostgreSQL server with a cluster of its own in a temporary directory, on a port of loopback. It
 * ends with the thread that started it, at the latest. PostgreSQL refuses root, so root starts it
 * as another user.
 */
public final class PostgresqlServer implements AutoCloseable {

    public static final String USER = "komainu";
    public static final String PASSWORD = "o'clock & ${100}%";

    /** Folder of Debian's programs, one folder a version. */
    private static final Path DEBIAN = Path.of("/usr/lib/postgresql");
    /** The newest programs for Linux on x86-64, in a library for tests. */
    private static final String EMBEDDED = "/postgres-linux-x86_64.txz";

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Path directory;
    private final Path programs;
    private final int port;
    private @Nullable Process process;
    private int databases;

    private PostgresqlServer(Path directory, Path programs, int port) {
        this.directory = directory;
        this.programs = programs;
        this.port = port;
    }

    public static boolean isDebianHere() {
        return debianPrograms().isPresent();
    }

    /** Returns the oldest version that is supported: 15 on Debian 12. */
    private static Optional<Path> debianPrograms() {
        return IntStream.range(ControlSchema.LEAST_POSTGRESQL, 100)
                .mapToObj(version -> DEBIAN.resolve(version + "/bin"))
                .filter(programs -> Files.isExecutable(programs.resolve("postgres")))
                .findFirst();
    }

    static boolean isEmbeddedHere() {
        return PostgresqlServer.class.getResource(EMBEDDED) != null;
    }

    /** Starts Debian's server. */
    public static PostgresqlServer debian() {
        return started(debianPrograms().orElseThrow(), null);
    }

    /**
     * Starts Debian's server with its data below a directory.
     *
     * @param parent a directory that any user can enter
     */
    public static PostgresqlServer debian(Path parent) {
        return started(debianPrograms().orElseThrow(), parent);
    }

    /** Unpacks and starts the newest server. */
    public static PostgresqlServer newest() {
        try {
            Path unpacked = Files.createTempDirectory("komainu-postgresql-programs");
            Path archive = unpacked.resolve("programs.txz");
            try (InputStream in = Objects.requireNonNull(
                    PostgresqlServer.class.getResourceAsStream(EMBEDDED), EMBEDDED)) {
                Files.copy(in, archive);
            }
            run(List.of("tar", "-xJf", archive.toString(), "-C", unpacked.toString()), unpacked);
            Files.delete(archive);
            run(List.of("chmod", "-R", "a+rX", unpacked.toString()), Path.of("/"));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(unpacked)));
            return started(unpacked.resolve("bin"), null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static PostgresqlServer started(Path programs, @Nullable Path parent) {
        try {
            Path directory = Files.createTempDirectory("komainu-postgresql");
            PostgresqlServer server = new PostgresqlServer(directory, programs, freePort());
            server.create();
            server.start();
            Runtime.getRuntime().addShutdownHook(new Thread(server::close));
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void create() throws IOException {
        Path password = directory.resolve("password");
        Files.writeString(password, PASSWORD + "\n");
        give(directory);
        give(password);
        run(
                asUser(
                        "initdb",
                        "-D",
                        data().toString(),
                        "-U",
                        USER,
                        "--auth=scram-sha-256",
                        "--pwfile=" + password,
                        "-E",
                        "UTF8",
                        "--locale=C",
                        "--no-sync"),
                directory);
    }

    /** Starts the stopped server on its port, with its data. */
    public void start() {
        List<String> command = asUser(
                "postgres",
                "-D",
                data().toString(),
                "-h",
                "127.0.0.1",
                "-p",
                Integer.toString(port),
                "-k",
                directory.toString(),
                "-c",
                "fsync=off",
                "-c",
                "max_connections=200",
                "-c",
                "shared_buffers=32MB");
        try {
            process = new ProcessBuilder(command)
                    .directory(directory.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(
                            directory.resolve("log").toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Awaitility.await("PostgreSQL accepts logins")
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> {
                    try (Connection connection = connect("postgres")) {
                        return connection.isValid(5);
                    }
                });
    }

    private List<String> asUser(String program, String... arguments) {
        List<String> command = new ArrayList<>(List.of("setpriv", "--pdeathsig", "KILL"));
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("--reuid", "nobody", "--regid", "nogroup", "--clear-groups"));
        }
        command.add(programs.resolve(program).toString());
        command.addAll(List.of(arguments));
        return command;
    }

    private static void give(Path file) throws IOException {
        if (System.getProperty("user.name").equals("root")) {
            UserPrincipal nobody = file.getFileSystem()
                    .getUserPrincipalLookupService()
                    .lookupPrincipalByName("nobody");
            Files.setOwner(file, nobody);
        }
    }

    private static void run(List<String> command, Path directory) throws IOException {
        Process run = new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(run.getInputStream().readAllBytes());
        try {
            if (run.waitFor() != 0) {
                throw new IOException(command + ": " + output);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    private Path data() {
        return directory.resolve("data");
    }

    /** Returns the file with the password of {@link #USER}. */
    public Path passwordFile() {
        return directory.resolve("password");
    }

    /** Returns the address of a database as {@code komainu.control.url}. */
    public String url(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }

    public Connection connect(String database) throws SQLException {
        return DriverManager.getConnection(url(database), USER, PASSWORD);
    }

    /** Creates a database and returns its name. */
    public synchronized String createDatabase(@Nullable String template) {
        String name = "test" + ++databases;
        execute("create database " + name + (template == null ? "" : " template " + template));
        return name;
    }

    /** Runs a statement in the database {@code postgres}. */
    public void execute(String sql) {
        try (Connection connection = connect("postgres")) {
            connection.createStatement().execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Stops all processes of the server where they are, as a machine that hangs. */
    public void freeze() {
        Signals.freeze(running());
    }

    public void thaw() {
        Signals.thaw(running());
    }

    /** Ends the server at once, as a crash does. */
    public void kill() {
        Process server = running();
        List<ProcessHandle> others = server.descendants().toList();
        server.destroyForcibly();
        others.forEach(ProcessHandle::destroyForcibly);
        ended(server);
        // They hold the shared memory, without which no other server starts.
        others.forEach(each -> each.onExit().join());
    }

    /** Ends the server and its connections in order (SIGINT: fast shutdown). */
    public void stop() {
        Process server = running();
        try {
            new ProcessBuilder("kill", "-INT", Long.toString(server.pid()))
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ended(server);
    }

    private static void ended(Process server) {
        try {
            if (!server.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("PostgreSQL does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
        delete(directory);
    }

    private static void delete(Path directory) {
        try {
            FileSystemUtils.deleteRecursively(directory);
        } catch (IOException e) {
            // A temporary directory of a test
        }
    }
}
