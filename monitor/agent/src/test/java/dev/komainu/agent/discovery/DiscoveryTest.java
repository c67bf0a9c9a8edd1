package dev.komainu.agent.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.NginxServer;
import dev.komainu.agent.discovery.apache.ApacheServer;
import dev.komainu.agent.host.HostProbe;
import dev.komainu.agent.host.HostSampler;
import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.HostSample;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a real nginx. */
class DiscoveryTest {

    @Test
    void scan_nginxStartsAndStops_isFoundWithItsSettings(@TempDir Path directory) throws Exception {
        try (Discovery discovery = new Discovery("here", DiscoverySettings.DEFAULTS)) {
            discovery.scan();
            int port;
            try (NginxServer nginx = NginxServer.start(directory)) {
                port = nginx.port();
                Discovery.Scan scan = discovery.scan();
                DiscoveredServer server = find(scan.changed(), port);
                assertThat(server.service()).isEqualTo("here:" + port);
                assertThat(server.kind()).isEqualTo("nginx");
                assertThat(server.version()).matches("\\d+\\.\\d+.*");
                assertThat(server.processId()).isEqualTo(nginx.processId());
                assertThat(server.program()).endsWith("/nginx");
                assertThat(server.addresses()).containsExactly(Endpoint.parse("127.0.0.1:" + port));
                String file = nginx.configuration().toString();
                assertThat(server.settings())
                        .contains(
                                new Setting("worker_processes", "2", file + ":2"),
                                new Setting("worker_connections", "512", file + ":5"),
                                new Setting("keepalive_timeout", "15", file + ":8"),
                                new Setting("backlog", "600", file + ":15"))
                        .extracting(Setting::name)
                        .contains("sysctl:net.core.somaxconn", "limit:nofile", "file:config");
                assertThat(server.settings())
                        .contains(new Setting("socket:backlog", "600", "kernel, ss -ltn"));
                assertThat(discovery.scan().changed()).noneMatch(s -> s.port() == port);
                assertThat(discovery.rescan().servers()).anyMatch(s -> s.port() == port);
                assertSampled(server);
            }
            assertThat(discovery.scan().gone()).contains("here:" + port);
        }
    }

    /** The kernel keeps the listening sockets, and connections go on to arrive. */
    @Test
    void scan_masterOfNginxIsKilled_itsWorkersAreTheServer(@TempDir Path directory)
            throws Exception {
        try (Discovery discovery = new Discovery("here", DiscoverySettings.DEFAULTS);
                NginxServer nginx = NginxServer.start(directory)) {
            DiscoveredServer before = find(discovery.scan().servers(), nginx.port());
            ProcessHandle master = ProcessHandle.of(nginx.processId()).orElseThrow();
            List<ProcessHandle> workers = master.children().toList();
            master.destroyForcibly();
            master.onExit().get(20, TimeUnit.SECONDS);
            try {
                DiscoveredServer after = find(discovery.scan().servers(), nginx.port());
                assertThat(workers).extracting(ProcessHandle::pid).contains(after.processId());
                assertThat(after.configuration()).isEqualTo(before.configuration());
                assertThat(find(discovery.scan().servers(), nginx.port())).isEqualTo(after);
            } finally {
                workers.forEach(ProcessHandle::destroyForcibly);
            }
        }
    }

    private static void assertSampled(DiscoveredServer server) {
        try (HostSampler sampler = new HostSampler("here", HostProbe.ofThisSystem())) {
            sampler.sample(List.of(server.watched()));
            HostSample sample = sampler.sample(List.of(server.watched()));
            assertThat(sample).isNotNull();
            HostSample.ServerProcesses processes = sample.servers().getFirst();
            assertThat(processes.use().processes()).as("master and two workers").isEqualTo(3);
            assertThat(processes.use().threads()).isEqualTo(3);
            assertThat(processes.use().residentBytes()).isPositive();
            assertThat(processes.queue().acceptQueue()).isNotNull();
            assertThat(processes.queue().acceptQueueLimit()).isEqualTo(600);
        }
    }

    @Test
    void scan_apachePrefork_isFoundWithItsModuleAndLimits(@TempDir Path directory)
            throws Exception {
        try (ApacheServer apache = ApacheServer.start(directory);
                Discovery discovery = new Discovery("here", DiscoverySettings.DEFAULTS)) {
            DiscoveredServer server = find(discovery.scan().servers(), apache.port());
            assertThat(server.kind()).isEqualTo("apache");
            assertThat(server.version()).startsWith("2.");
            assertThat(server.processId()).isEqualTo(apache.processId());
            assertThat(server.settings())
                    .contains(new Setting("MPM", "prefork", "running"))
                    .contains(new Setting(
                            "KeepAliveTimeout", "5", "default of apache " + server.version()))
                    .anySatisfy(setting -> {
                        assertThat(setting.name()).isEqualTo("MaxRequestWorkers");
                        assertThat(setting.value()).isEqualTo("3");
                        assertThat(setting.source())
                                .startsWith(directory.resolve("apache2.conf") + ":");
                    });
        }
    }

    @Test
    void scan_unknownProgram_isWatchedOnlyWhenItsPortIsConfigured() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                Discovery byDefault = new Discovery("here", DiscoverySettings.DEFAULTS);
                Discovery configured = new Discovery(
                        "here", new DiscoverySettings(Set.of(socket.getLocalPort()), Set.of()))) {
            assertThat(byDefault.scan().servers())
                    .noneMatch(s -> s.port() == socket.getLocalPort());
            assertThat(configured.scan().servers()).singleElement().satisfies(server -> {
                assertThat(server.kind()).isEqualTo("other");
                assertThat(server.processId()).isEqualTo(ProcessHandle.current().pid());
            });
        }
    }

    private static DiscoveredServer find(List<DiscoveredServer> servers, int port) {
        return servers.stream().filter(s -> s.port() == port).findFirst().orElseThrow();
    }
}
