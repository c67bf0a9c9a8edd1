package dev.komainu.agent.order;

import static dev.komainu.telemetry.kit.FreePort.freePort;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.Discovery;
import dev.komainu.agent.discovery.DiscoverySettings;
import dev.komainu.agent.discovery.configuration.RealServer;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.OrderOutcome;
import dev.komainu.telemetry.wire.SignedOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Signed orders for a real gunicorn, uWSGI and php-fpm: discovered, carried out by a reload that
 * keeps the master, undone byte for byte.
 */
class ApplicationServerOrderTest {

    private static final String NODE = "ordered";
    private static final String APPLICATION = """
            def application(environ, start_response):
                start_response('200 OK', [('Content-Length', '2')])
                return [b'ok']
            """;

    @TempDir
    Path directory;

    private final BlockingQueue<OrderOutcome> outcomes = new LinkedBlockingQueue<>();
    private int number;

    @Test
    void gunicorn_workersOrdered_forkedAndUndone() throws Exception {
        RealServer.needs("/usr/bin/gunicorn", "gunicorn");
        int port = freePort();
        Files.writeString(directory.resolve("app.py"), APPLICATION);
        Path file = Files.writeString(
                directory.resolve("gunicorn.conf.py"),
                "bind = '127.0.0.1:" + port + "'\nworkers = 1  # few\n");
        try (RealServer server = RealServer.start(
                List.of("/usr/bin/python3", "/usr/bin/gunicorn", "app"),
                directory,
                port,
                Map.of())) {
            assertThat(server.discovered().kind()).isEqualTo("gunicorn");
            check(server, file, "workers", "1", "3", 3);
        }
    }

    @Test
    void uwsgi_processesOrdered_forkedAndUndone() throws Exception {
        RealServer.needs("/usr/bin/uwsgi", "uwsgi-core uwsgi-plugin-python3");
        int port = freePort();
        Files.writeString(directory.resolve("app.py"), APPLICATION);
        Path file = Files.writeString(
                directory.resolve("app.ini"),
                "[uwsgi]\nplugin = python3\nmaster = true\nprocesses = 1\nhttp-socket = 127.0.0.1:"
                        + port + "\nwsgi-file = " + directory + "/app.py\n");
        try (RealServer server = RealServer.start(
                List.of("/usr/bin/uwsgi", "--ini", file.toString()), directory, port, Map.of())) {
            assertThat(server.discovered().kind()).isEqualTo("uwsgi");
            assertThat(server.discovered().version()).startsWith("2.");
            check(server, file, "processes", "1", "3", 3);
            try (Orders orders = new Orders(port)) {
                OrderOutcome done = orders.submit("listen", "100", "64", Order.Then.RESTART, null);
                assertThat(done.state()).as(done.detail()).isEqualTo(OrderOutcome.State.DONE);
                DiscoveredServer now = server.discovered();
                assertThat(now.processId()).isNotEqualTo(server.processId());
                assertThat(now.settings())
                        .extracting("name", "value")
                        .contains(org.assertj.core.groups.Tuple.tuple("socket:backlog", "64"));
                // At TERM uWSGI would reload and keep listening.
                ProcessHandle.of(now.processId()).ifPresent(master -> {
                    List<ProcessHandle> all =
                            new java.util.ArrayList<>(master.descendants().toList());
                    all.add(master);
                    all.forEach(ProcessHandle::destroyForcibly);
                });
            }
        }
    }

    @Test
    void phpFpm_childrenOrdered_forkedAndUndone() throws Exception {
        String program = phpFpm();
        int port = freePort();
        Path file = phpFpmFile("127.0.0.1:" + port);
        try (RealServer server = RealServer.start(
                List.of(program, "-y", file.toString()), directory, port, Map.of())) {
            assertThat(server.discovered().kind()).isEqualTo("php-fpm");
            assertThat(server.discovered().version()).matches("\\d\\.\\d+.*");
            check(server, file, "pm.max_children", "1", "3", 3);

            try (Orders orders = new Orders(server.port())) {
                OrderOutcome refused =
                        orders.submit("pm.max_children", "1", "auto", Order.Then.RELOAD, null);
                assertThat(refused.reason()).as(refused.detail()).isEqualTo("configuration-test");
                assertThat(refused.change().restored()).isTrue();
            }
        }
    }

    @Test
    void phpFpmAtAUnixSocket_childrenOrderedThroughTheNginxInFront() throws Exception {
        String program = phpFpm();
        RealServer.needs("/usr/sbin/nginx", "nginx-light");
        Path socket = directory.resolve("www.sock");
        Path file = phpFpmFile(directory + "/$pool.sock");
        Process pool = new ProcessBuilder(program, "-y", file.toString())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("fpm-output.log").toFile())
                .start();
        int port = freePort();
        Path configuration = Files.writeString(
                directory.resolve("nginx.conf"),
                String.format(Locale.ROOT, """
                daemon off;
                pid %1$s/nginx.pid;
                error_log %1$s/nginx.log;
                events { worker_connections 64; }
                http { access_log off;
                    server { listen 127.0.0.1:%2$d; location / { fastcgi_pass unix:%3$s; } } }
                """, directory, port, socket));
        try (RealServer nginx = RealServer.start(
                List.of("/usr/sbin/nginx", "-p", directory.toString(), "-c", configuration + ""),
                directory,
                port,
                Map.of())) {
            await().atMost(Duration.ofSeconds(60)).until(() -> Files.exists(socket));
            check(nginx, pool.pid(), file, "pool:pm.max_children", "1", "3", 3);
        } finally {
            List<ProcessHandle> children = pool.descendants().toList();
            pool.destroyForcibly().waitFor();
            children.forEach(ProcessHandle::destroyForcibly);
        }
    }

    private static String phpFpm() throws java.io.IOException {
        try (var files = Files.list(Path.of("/usr/sbin"))) {
            String program = files.map(Path::toString)
                    .filter(each -> each.startsWith("/usr/sbin/php-fpm"))
                    .sorted()
                    .findFirst()
                    .orElse("/usr/sbin/php-fpm");
            RealServer.needs(program, "php-fpm");
            return program;
        }
    }

    private Path phpFpmFile(String listen) throws java.io.IOException {
        return Files.writeString(
                directory.resolve("fpm.conf"), String.format(Locale.ROOT, """
                [global]
                daemonize = no
                error_log = %1$s/error.log
                pid = %1$s/pid
                [www]
                user = www-data
                listen = %2$s
                pm = static
                pm.max_children = 1
                """, directory, listen));
    }

    private void check(
            RealServer server, Path file, String setting, String before, String after, int workers)
            throws Exception {
        check(server, server.processId(), file, setting, before, after, workers);
    }

    private void check(
            RealServer server,
            long master,
            Path file,
            String setting,
            String before,
            String after,
            int workers)
            throws Exception {
        byte[] original = Files.readAllBytes(file);
        try (Orders orders = new Orders(server.port())) {
            OrderOutcome done = orders.submit(setting, before, after, Order.Then.RELOAD, null);
            assertThat(done.state()).as(done.detail()).isEqualTo(OrderOutcome.State.DONE);
            assertThat(done.change().after()).isEqualTo(after);
            await("workers")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> children(master) == workers);
            OrderOutcome undone = orders.submit(setting, "", null, Order.Then.RELOAD, done.order());
            assertThat(undone.state()).as(undone.detail()).isEqualTo(OrderOutcome.State.DONE);
            assertThat(Files.readAllBytes(file)).isEqualTo(original);
            await("workers again")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> children(master) == 1);
        }
    }

    private static long children(long process) {
        return ProcessHandle.of(process)
                .map(master -> master.children().count())
                .orElse(0L);
    }

    /** An executor of orders for one port. */
    private final class Orders implements AutoCloseable {

        private final KeyPair keys;
        private final int port;
        private final Discovery discovery;
        private final OrderExecutor executor;

        Orders(int port) throws Exception {
            this.port = port;
            keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
            discovery = new Discovery(NODE, new DiscoverySettings(Set.of(port), Set.of()));
            executor = new OrderExecutor(
                    keys.getPublic(),
                    NODE,
                    directory.resolve("journal"),
                    directory.resolve("sysctl.conf"),
                    (server, setting) -> true,
                    record -> outcomes.add((OrderOutcome) record),
                    this::rescan);
        }

        private synchronized List<DiscoveredServer> rescan() {
            return discovery.rescan().servers();
        }

        OrderOutcome submit(
                String setting,
                String expected,
                @org.jspecify.annotations.Nullable String wanted,
                Order.Then then,
                @org.jspecify.annotations.Nullable String restores)
                throws InterruptedException {
            long now = EpochMicros.now();
            Order order = new Order(
                    String.format(Locale.ROOT, "%032x", ++number),
                    NODE,
                    NODE + ":" + port,
                    now,
                    now + 300_000_000,
                    setting,
                    expected,
                    wanted,
                    then,
                    restores);
            executor.submit(List.of(SignedOrder.sign(order, keys.getPrivate())));
            OrderOutcome outcome = outcomes.poll(120, TimeUnit.SECONDS);
            assertThat(outcome).as("an outcome").isNotNull();
            return outcome;
        }

        @Override
        public void close() {
            executor.close();
            discovery.close();
        }
    }
}
