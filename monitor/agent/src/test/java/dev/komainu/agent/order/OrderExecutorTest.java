package dev.komainu.agent.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.komainu.agent.NginxServer;
import dev.komainu.agent.discovery.DiscoveredServer;
import dev.komainu.agent.discovery.Discovery;
import dev.komainu.agent.discovery.DiscoverySettings;
import dev.komainu.agent.discovery.apache.ApacheServer;
import dev.komainu.agent.discovery.configuration.RealServer;
import dev.komainu.agent.discovery.varnish.VarnishServer;
import dev.komainu.telemetry.record.EpochMicros;
import dev.komainu.telemetry.record.Order;
import dev.komainu.telemetry.record.OrderOutcome;
import dev.komainu.telemetry.record.OrderOutcome.State;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.wire.SignedOrder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Signed orders for a real nginx, a real Apache and a real Varnish: carried out, undone byte for
 * byte, or refused with the file unchanged.
 */
class OrderExecutorTest {

    private static final String NODE = "ordered";

    @TempDir
    Path directory;

    private final BlockingQueue<OrderOutcome> outcomes = new LinkedBlockingQueue<>();
    private KeyPair keys;
    private Discovery discovery;
    private OrderExecutor orders;
    private OrderExecutor.Permission permission = (port, setting) -> true;
    private int number;

    @BeforeEach
    void setUp() throws Exception {
        keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    }

    @AfterEach
    void tearDown() {
        if (orders != null) {
            orders.close();
            discovery.close();
        }
    }

    @Test
    void nginx_orderApplied_reloadedAndRolledBackByteForByte() throws Exception {
        try (NginxServer nginx = NginxServer.start(directory.resolve("nginx"))) {
            Path file = directory.resolve("nginx/nginx.conf");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
            byte[] original = Files.readAllBytes(file);
            open(nginx.port());
            Set<Long> workers = workers(nginx.port());

            Order order =
                    order(nginx.port(), "worker_connections", "512", "1024", Order.Then.RELOAD);
            OrderOutcome done = submit(order);

            assertThat(done.state()).as(done.detail()).isEqualTo(State.DONE);
            assertThat(done.change().before()).isEqualTo("512");
            assertThat(done.change().after()).isEqualTo("1024");
            assertThat(Files.readString(file)).contains("worker_connections 1024;");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-r-----");
            await("fresh workers").atMost(Duration.ofSeconds(60)).until(() -> {
                Set<Long> now = workers(nginx.port());
                return !now.isEmpty() && now.stream().noneMatch(workers::contains);
            });

            OrderOutcome undone = submit(undo(order, Order.Then.RELOAD));
            assertThat(undone.state()).as(undone.detail()).isEqualTo(State.DONE);
            assertThat(Files.readAllBytes(file)).isEqualTo(original);
        }
    }

    @Test
    void serverOutsideTheAgentsPermission_isNotChanged() throws Exception {
        try (NginxServer nginx = NginxServer.start(directory.resolve("nginx"))) {
            byte[] original = Files.readAllBytes(directory.resolve("nginx/nginx.conf"));
            permission =
                    (port, setting) -> port == nginx.port() && setting.equals("worker_processes");
            open(nginx.port());
            OrderOutcome refused = submit(
                    order(nginx.port(), "worker_connections", "512", "1024", Order.Then.RELOAD));
            assertThat(refused.state()).isEqualTo(State.REFUSED);
            assertThat(refused.reason()).isEqualTo("restricted");
            assertThat(Files.readAllBytes(directory.resolve("nginx/nginx.conf")))
                    .isEqualTo(original);
        }
    }

    @Test
    void apache_orderWithRestart_restartsTheOriginalCommand() throws Exception {
        try (ApacheServer apache = ApacheServer.start(directory)) {
            open(apache.port());
            long process = server(apache.port()).processId();

            OrderOutcome done =
                    submit(order(apache.port(), "ListenBacklog", "511", "64", Order.Then.RESTART));

            assertThat(done.state()).as(done.detail()).isEqualTo(State.DONE);
            assertThat(done.change().after()).isEqualTo("64");
            DiscoveredServer now = server(apache.port());
            assertThat(now.processId()).isNotEqualTo(process);
            assertThat(value(now, "socket:backlog")).isEqualTo("64");
            ProcessHandle.of(now.processId()).ifPresent(ProcessHandle::destroy);
            await("the second Apache ends")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> ProcessHandle.of(now.processId())
                            .filter(ProcessHandle::isAlive)
                            .isEmpty());
        }
    }

    @Test
    void apache_valueWithItsLimit_changeInOneRestartAndAreUndoneByteForByte() throws Exception {
        try (ApacheServer apache = ApacheServer.start(directory)) {
            open(apache.port());
            Path file = directory.resolve("apache2.conf");
            byte[] original = Files.readAllBytes(file);
            Order refused = withServerLimit(apache.port(), "256");
            assertThat(reason(refused)).isEqualTo("drift");
            assertThat(Files.readAllBytes(file)).isEqualTo(original);

            Order order = withServerLimit(apache.port(), "3");
            OrderOutcome done = submit(order);

            assertThat(done.state()).as(done.detail()).isEqualTo(State.DONE);
            assertThat(done.change().after()).isEqualTo("9");
            assertThat(Files.readString(file)).contains("ServerLimit 9", "MaxRequestWorkers 9");
            assertThat(value(server(apache.port()), "ServerLimit")).isEqualTo("9");

            OrderOutcome undone = submit(undo(order, Order.Then.RESTART));
            assertThat(undone.state()).as(undone.detail()).isEqualTo(State.DONE);
            assertThat(Files.readAllBytes(file)).isEqualTo(original);
            long process = server(apache.port()).processId();
            ProcessHandle.of(process).ifPresent(ProcessHandle::destroy);
            await("the restarted Apache ends")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> ProcessHandle.of(process)
                            .filter(ProcessHandle::isAlive)
                            .isEmpty());
        }
    }

    private Order withServerLimit(int port, String expected) {
        Order one = order(port, "MaxRequestWorkers", "3", "9", Order.Then.RESTART);
        return new Order(
                one.id(),
                one.node(),
                one.service(),
                one.issuedMicros(),
                one.expiresMicros(),
                one.setting(),
                one.expected(),
                one.wanted(),
                one.then(),
                null,
                List.of(new Order.Companion("ServerLimit", expected, "9")),
                0);
    }

    @Test
    void varnish_orderAppliedAtRunTimeAndUndone() throws Exception {
        RealServer.needs("/usr/sbin/varnishd", "varnish");
        try (VarnishServer varnish =
                VarnishServer.start(directory, "thread_pool_min=10", "thread_pool_max=60")) {
            int port = varnish.port();
            open(port);

            Order order = order(port, "thread_pool_max", "60", "70", Order.Then.NOTHING);
            OrderOutcome done = submit(order);
            assertThat(done.state()).as(done.detail()).isEqualTo(State.DONE);
            assertThat(done.change().after()).isEqualTo("70");
            assertThat(varnish.administrate("param.show", "thread_pool_max"))
                    .contains("Value is: 70 ");

            OrderOutcome tooFew =
                    submit(order(port, "thread_pool_max", "70", "1", Order.Then.NOTHING));
            assertThat(tooFew.reason()).as(tooFew.detail()).isEqualTo("write");
            assertThat(tooFew.detail()).contains("Must be at least 10");

            OrderOutcome undone = submit(undo(order, Order.Then.NOTHING));
            assertThat(undone.state()).as(undone.detail()).isEqualTo(State.DONE);
            assertThat(varnish.administrate("param.show", "thread_pool_max"))
                    .contains("Value is: 60 ");
        }
    }

    @Test
    void quotaOfItsGroup_orderAppliedAndUndone_notThatOfAParent() throws Exception {
        Path own = controlGroup("komainu-order-" + ProcessHandle.current().pid());
        try (NginxServer nginx = NginxServer.start(directory.resolve("nginx"))) {
            open(nginx.port());
            long master = server(nginx.port()).processId();
            for (long id : processes(master)) {
                Files.writeString(own.resolve("cgroup.procs"), String.valueOf(id));
            }
            Path file = quota(own, "50000");
            assertThat(value(server(nginx.port()), "cgroup:cpu.max")).isEqualTo("50000 100000");

            Order order = order(
                    nginx.port(),
                    "cgroup:cpu.max",
                    "50000 100000",
                    "80000 100000",
                    Order.Then.NOTHING);
            OrderOutcome done = submit(order);
            assertThat(done.state()).as(done.detail()).isEqualTo(State.DONE);
            assertThat(done.change().after()).isEqualTo("80000 100000");
            assertThat(Files.readString(file)).startsWith("80000");
            assertThat(reason(order(
                            nginx.port(),
                            "cgroup:cpu.max",
                            "80000 100000",
                            "500 100000",
                            Order.Then.NOTHING)))
                    .isEqualTo("malformed");

            OrderOutcome undone = submit(undo(order, Order.Then.NOTHING));
            assertThat(undone.state()).as(undone.detail()).isEqualTo(State.DONE);
            assertThat(value(server(nginx.port()), "cgroup:cpu.max")).isEqualTo("50000 100000");

            // The tightest limit is the parent's, which other services share.
            Path below = Files.createDirectory(own.resolve("below"));
            try {
                for (long id : processes(master)) {
                    Files.writeString(below.resolve("cgroup.procs"), String.valueOf(id));
                }
                assertThat(reason(order(
                                nginx.port(),
                                "cgroup:cpu.max",
                                "50000 100000",
                                "80000 100000",
                                Order.Then.NOTHING)))
                        .isEqualTo("no-place");
            } finally {
                nginx.close();
                await("the group is empty")
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> below.toFile().delete());
            }
        } finally {
            await("the group is empty")
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> own.toFile().delete());
        }
    }

    /** Creates a control group for CPU time; skips the test where that is not permitted. */
    private static Path controlGroup(String name) {
        Path version1 = Path.of("/sys/fs/cgroup/cpu");
        Path root = Files.isDirectory(version1) ? version1 : Path.of("/sys/fs/cgroup");
        Path group = root.resolve(name);
        boolean made = group.toFile().mkdir();
        boolean limits = made
                && (Files.exists(group.resolve("cpu.max"))
                        || Files.exists(group.resolve("cpu.cfs_quota_us")));
        if (made && !limits) {
            group.toFile().delete();
        }
        org.junit.jupiter.api.Assumptions.assumeTrue(
                limits, root + ": no control group for CPU time can be made (expected: root)");
        return group;
    }

    private static Path quota(Path group, String micros) throws IOException {
        Path unified = group.resolve("cpu.max");
        if (Files.exists(unified)) {
            Files.writeString(unified, micros + " 100000");
            return unified;
        }
        Path file = group.resolve("cpu.cfs_quota_us");
        Files.writeString(file, micros);
        return file;
    }

    private static List<Long> processes(long master) {
        return java.util.stream.Stream.concat(
                        java.util.stream.Stream.of(master),
                        ProcessHandle.of(master).stream()
                                .flatMap(ProcessHandle::descendants)
                                .map(ProcessHandle::pid))
                .toList();
    }

    @Test
    void submit_invalidOrder_isRefusedAndTheFileUnchanged() throws Exception {
        try (NginxServer nginx = NginxServer.start(directory.resolve("nginx"))) {
            Path file = directory.resolve("nginx/nginx.conf");
            byte[] original = Files.readAllBytes(file);
            open(nginx.port());
            String service = NODE + ":" + nginx.port();
            long now = EpochMicros.now();

            // A signature by another key, and one changed letter in a signed text.
            KeyPair stranger = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
            Order good =
                    order(nginx.port(), "worker_connections", "512", "1024", Order.Then.RELOAD);
            String text = SignedOrder.sign(good, keys.getPrivate());
            char other = text.charAt(20) == 'A' ? 'B' : 'A';
            orders.submit(List.of(
                    SignedOrder.sign(good, stranger.getPrivate()),
                    text.substring(0, 20) + other + text.substring(21)));
            await("both are counted")
                    .atMost(Duration.ofSeconds(60))
                    .until(() ->
                            orders.drops().contains(new SourceStatus.Drops("order-signature", 2)));

            assertThat(reason(new Order(
                            id(),
                            "elsewhere",
                            service,
                            now,
                            now + 60_000_000,
                            "worker_connections",
                            "512",
                            "9",
                            Order.Then.RELOAD,
                            null)))
                    .isEqualTo("other-node");
            assertThat(reason(new Order(
                            id(),
                            NODE,
                            service,
                            now - 120_000_000,
                            now - 1,
                            "worker_connections",
                            "512",
                            "9",
                            Order.Then.RELOAD,
                            null)))
                    .isEqualTo("expired");
            assertThat(reason(order(
                            nginx.port(), "worker_connections", "768", "9", Order.Then.RELOAD)))
                    .isEqualTo("drift");
            assertThat(reason(order(
                            nginx.port(), "worker_connections", "512", "9; }", Order.Then.RELOAD)))
                    .isEqualTo("malformed");
            assertThat(reason(order(1, "worker_connections", "512", "9", Order.Then.RELOAD)))
                    .isEqualTo("unknown-service");
            assertThat(reason(undo(good, Order.Then.RELOAD))).isEqualTo("no-place");
            // A known word for the agent, but no number for nginx.
            OrderOutcome refusedByNginx = submit(
                    order(nginx.port(), "worker_connections", "512", "auto", Order.Then.RELOAD));
            assertThat(refusedByNginx.state()).isEqualTo(State.FAILED);
            assertThat(refusedByNginx.reason()).isEqualTo("configuration-test");
            assertThat(refusedByNginx.change().restored()).isTrue();
            assertThat(refusedByNginx.detail()).contains("invalid number");
            assertThat(Files.readAllBytes(file)).isEqualTo(original);
        }
    }

    @Test
    void submit_sameOrderTwice_reportsTheOutcomeTwiceAndChangesOnce() throws Exception {
        try (NginxServer nginx = NginxServer.start(directory.resolve("nginx"))) {
            Path file = directory.resolve("nginx/nginx.conf");
            open(nginx.port());
            Order order =
                    order(nginx.port(), "worker_connections", "512", "1024", Order.Then.NOTHING);
            OrderOutcome first = submit(order);
            // The operator restores the old value; the repeated order would apply again.
            Files.writeString(file, Files.readString(file).replace("1024", "512"));

            assertThat(submit(order)).isEqualTo(first);
            assertThat(Files.readString(file)).contains("worker_connections 512;");
            assertThat(orders.drops()).contains(new SourceStatus.Drops("order-again", 1));

            // An undo finds the file edited since.
            assertThat(reason(undo(order, Order.Then.NOTHING))).isEqualTo("drift");
        }
    }

    @Test
    void start_afterInterruptedOrder_restoresTheFileAndReportsIt() throws Exception {
        Path file = Files.writeString(directory.resolve("a.conf"), "before");
        Order order = order(80, "x", "1", "2", Order.Then.NOTHING);
        OrderJournal journal = new OrderJournal(directory.resolve("journal"));
        journal.begin(
                order,
                new OrderJournal.Entry(
                        order.service(),
                        "x",
                        file,
                        HostFile.hash("after".getBytes()),
                        null,
                        "NOTHING",
                        EpochMicros.now()),
                Files.readAllBytes(file));
        Files.writeString(file, "after");

        discovery = new Discovery(NODE, new DiscoverySettings(Set.of(1), Set.of()));
        orders = orders(List::of);

        OrderOutcome outcome = outcomes.poll(60, TimeUnit.SECONDS);
        assertThat(outcome).isNotNull();
        assertThat(outcome.reason()).isEqualTo("interrupted");
        assertThat(outcome.change().restored()).isTrue();
        assertThat(Files.readString(file)).isEqualTo("before");
    }

    private void open(int port) throws IOException {
        discovery = new Discovery(NODE, new DiscoverySettings(Set.of(port), Set.of()));
        orders = orders(() -> {
            synchronized (discovery) {
                return discovery.rescan().servers();
            }
        });
    }

    private OrderExecutor orders(java.util.function.Supplier<List<DiscoveredServer>> rescan)
            throws IOException {
        return new OrderExecutor(
                keys.getPublic(),
                NODE,
                directory.resolve("journal"),
                directory.resolve("sysctl.conf"),
                permission,
                record -> outcomes.add((OrderOutcome) record),
                rescan);
    }

    private DiscoveredServer server(int port) {
        synchronized (discovery) {
            return discovery.rescan().servers().stream()
                    .filter(server -> server.port() == port)
                    .findFirst()
                    .orElseThrow();
        }
    }

    private static String value(DiscoveredServer server, String name) {
        Setting setting = DiscoveredServers.setting(server, name);
        return setting == null ? "absent" : setting.value();
    }

    private Set<Long> workers(int port) {
        return ProcessHandle.of(server(port).processId())
                .map(master -> master.children()
                        .map(ProcessHandle::pid)
                        .collect(java.util.stream.Collectors.toSet()))
                .orElse(Set.of());
    }

    private String id() {
        return String.format(Locale.ROOT, "%032x", ++number);
    }

    private Order order(
            int port, String setting, String expected, @Nullable String wanted, Order.Then then) {
        long now = EpochMicros.now();
        return new Order(
                id(),
                NODE,
                NODE + ":" + port,
                now,
                now + 300_000_000,
                setting,
                expected,
                wanted,
                then,
                null);
    }

    private Order undo(Order order, Order.Then then) {
        long now = EpochMicros.now();
        return new Order(
                id(),
                NODE,
                order.service(),
                now,
                now + 300_000_000,
                order.setting(),
                "",
                null,
                then,
                order.id());
    }

    private String reason(Order order) throws InterruptedException {
        OrderOutcome outcome = submit(order);
        assertThat(outcome.state()).as(outcome.detail()).isEqualTo(State.REFUSED);
        return outcome.reason();
    }

    private OrderOutcome submit(Order order) throws InterruptedException {
        orders.submit(List.of(SignedOrder.sign(order, keys.getPrivate())));
        OrderOutcome outcome = outcomes.poll(120, TimeUnit.SECONDS);
        assertThat(outcome).as("an outcome").isNotNull();
        return outcome;
    }
}
