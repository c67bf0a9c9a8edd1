package dev.komainu.agent.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.discovery.configuration.ServerConfiguration;
import dev.komainu.agent.discovery.configuration.Upstream;
import dev.komainu.agent.host.ApplicationPool;
import dev.komainu.agent.host.linux.ListenerTable;
import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The pools behind a server, over a copied process table. */
class ApplicationPoolsTest {

    private static final String FPM = "/usr/sbin/php-fpm8.2";
    private static final String MASTER =
            "php-fpm: master process (/etc/php/8.2/fpm/php-fpm.conf)\0";
    private static final String WORKER = "php-fpm: pool www\0";
    private static final String SOCKET = "/run/php/php8.2-fpm.sock";

    @TempDir
    Path proc;

    private CopiedProcesses host;
    private ApplicationPools pools;

    @BeforeEach
    void start() {
        host = new CopiedProcesses(proc);
        pools = new ApplicationPools(new ProcFiles(proc));
        host.process(10, 1, "/usr/sbin/nginx", "nginx: master process nginx\0", 80);
    }

    @Test
    void unixSocket_isThatOfThePoolsMaster() {
        host.listensAtPath(SOCKET, 77);
        host.process(20, 1, FPM, MASTER, 77);
        host.process(21, 20, FPM, WORKER, 77);

        assertThat(found("unix:" + SOCKET)).containsExactly(new ApplicationPool(20, SOCKET, null));
        assertThat(pools.areSettled()).isTrue();
        assertThat(pools.areMissing()).isFalse();
    }

    /** Debian's /var/run is a link, and so is the socket without a version. */
    @Test
    void unixSocketNamedByLinks_isFoundAtTheBoundPath() throws IOException {
        Files.createDirectories(proc.resolve("10/root/run/php"));
        host.link("10/root/var/run", "/run");
        host.link("10/root/run/php/php-fpm.sock", "php8.2-fpm.sock");
        host.listensAtPath("/var/run/php/php8.2-fpm.sock", 77);
        host.listensAtPath("/srv/php8.2-fpm.sock", 78);
        host.process(20, 1, FPM, MASTER, 77);
        host.process(30, 1, FPM, MASTER, 78);

        assertThat(found("unix:/var/run/php/php-fpm.sock"))
                .containsExactly(new ApplicationPool(20, "/var/run/php/php8.2-fpm.sock", null));
    }

    @Test
    void ports_ofLoopbackAndOfLocalhost_arePools_otherAddressesAreNot() {
        host.listensAtPort(9_000, 90);
        host.listensAtPort(9_001, 91);
        host.process(20, 1, FPM, MASTER, 90);
        host.process(
                30,
                1,
                "/usr/bin/python3.11",
                CopiedProcesses.line("python3", "/usr/bin/gunicorn"),
                91);

        assertThat(found("127.0.0.1:9000", "localhost:9001", "192.0.2.9:9000", "127.0.0.2:9000"))
                .containsExactly(
                        new ApplicationPool(20, null, Endpoint.parse("127.0.0.1:9000")),
                        new ApplicationPool(30, null, Endpoint.parse("127.0.0.1:9001")));
    }

    @Test
    void servicesOfTheirOwn_areNoPools() {
        host.listensAtPort(8_080, 90);
        host.listensAtPath("/run/proxy.sock", 91);
        host.listensAtPath("/run/mysqld.sock", 92);
        host.process(
                20,
                1,
                "/usr/bin/java",
                CopiedProcesses.line("java", "org.apache.catalina.startup.Bootstrap"),
                90);
        host.process(30, 1, "/usr/sbin/haproxy", CopiedProcesses.line("haproxy"), 91);
        host.process(40, 1, "/usr/sbin/mysqld", CopiedProcesses.line("mysqld"), 92);

        assertThat(found("127.0.0.1:8080", "unix:/run/proxy.sock", "unix:/run/mysqld.sock"))
                .isEmpty();
    }

    @Test
    void pool_thatEnds_isSearchedForInTheNextScans() {
        host.listensAtPath(SOCKET, 77);
        host.process(20, 1, FPM, MASTER, 77);
        assertThat(found("unix:" + SOCKET)).hasSize(1);

        host.noneListensAtPaths();
        host.end(20);
        assertThat(pools.areSettled()).isFalse();
        assertThat(found("unix:" + SOCKET)).isEmpty();
        assertThat(pools.areSettled()).as("a supervisor may start it again").isFalse();
        assertThat(pools.areMissing()).isTrue();

        host.listensAtPath(SOCKET, 78);
        host.process(30, 1, FPM, MASTER, 78);
        assertThat(found("unix:" + SOCKET)).containsExactly(new ApplicationPool(30, SOCKET, null));
        assertThat(pools.areSettled()).isTrue();
        assertThat(pools.areMissing()).isFalse();
    }

    @Test
    void pool_thatStaysAway_isSearchedForInABoundedNumberOfScans() {
        host.listensAtPath(SOCKET, 77);
        host.process(20, 1, FPM, MASTER, 77);
        found("unix:" + SOCKET);
        host.noneListensAtPaths();
        host.end(20);
        for (int scan = 0; scan < 20; scan++) {
            found("unix:" + SOCKET);
        }
        assertThat(pools.areSettled()).isTrue();
        assertThat(pools.areMissing()).isTrue();
    }

    @Test
    void poolsOfOneServer_areBounded() {
        String[] upstreams = new String[40];
        for (int i = 0; i < upstreams.length; i++) {
            host.listensAtPath("/run/" + i + ".sock", 100 + i);
            host.process(200 + i, 1, FPM, MASTER, 100 + i);
            upstreams[i] = "unix:/run/" + i + ".sock";
        }
        assertThat(found(upstreams))
                .extracting(ApplicationPool::processId)
                .containsExactlyElementsOf(
                        IntStream.range(200, 216).mapToObj(Long::valueOf).toList());
    }

    private List<ApplicationPool> found(String... upstreams) {
        List<Upstream> named = Arrays.stream(upstreams)
                .map(address -> Objects.requireNonNull(Upstream.parse(address, 80, "nginx.conf:1")))
                .toList();
        DiscoveredServer server = new DiscoveredServer(
                "here:80",
                "here",
                80,
                "nginx",
                null,
                List.of(),
                10L,
                "/usr/sbin/nginx",
                List.of(),
                List.of(80L),
                new ServerConfiguration(List.of(), List.of(), named, List.of(), true, List.of()));
        try (ListenerTable table = new ListenerTable(new ProcFiles(proc), false)) {
            return Objects.requireNonNull(pools.addTo(
                                    Map.of(80, server),
                                    table.read(),
                                    List.of(InetAddress.getLoopbackAddress()))
                            .get(80))
                    .pools();
        }
    }
}
