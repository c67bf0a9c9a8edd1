package dev.komainu.agent.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.host.linux.ProcFiles;
import dev.komainu.telemetry.record.HostSample;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeparturesTest {

    @TempDir
    Path proc;

    private Departures departures;

    @BeforeEach
    void setUp() throws IOException {
        departures = new Departures(new ProcFiles(proc));
        process(1, 0, "systemd", "/usr/lib/systemd/systemd", "/sbin/init");
    }

    @Test
    void serverThatEnded_hasNoSuccessor_andInitDoesNotRestartIt() throws IOException {
        process(20, 1, "nginx", "/usr/sbin/nginx", "nginx: master process");
        departures.update(List.of(server(20)));
        assertThat(departures.read(1)).isNull();
        end(20);
        departures.update(List.of());
        assertThat(only()).isEqualTo(new HostSample.DepartedServer("here:80", 0, 0, null));
    }

    @Test
    void newProcessOfTheProgram_isASuccessor_whatEverItsTitle() throws IOException {
        process(20, 1, "nginx", "/usr/sbin/nginx", "nginx: master process");
        departures.update(List.of(server(20)));
        end(20);
        process(30, 1, "nginx", "/usr/sbin/nginx", "nginx\0-g\0daemon on;");
        departures.update(List.of());
        assertThat(only().successorProcesses()).isEqualTo(1);
    }

    @Test
    void newProcessWithAnotherConfigurationFile_isNoSuccessor() throws IOException {
        process(
                20,
                1,
                "nginx",
                "/usr/sbin/nginx",
                "nginx: master process /usr/sbin/nginx -c /etc/shop.conf");
        departures.update(List.of(server(20)));
        end(20);
        process(30, 1, "nginx", "/usr/sbin/nginx", "/usr/sbin/nginx\0-c\0/etc/blog.conf");
        departures.update(List.of());
        assertThat(only().successorProcesses()).isZero();

        process(31, 1, "nginx", "/usr/sbin/nginx", "/usr/sbin/nginx\0-c\0/etc/shop.conf");
        assertThat(only().successorProcesses()).isEqualTo(1);
        process(32, 31, "nginx", "/usr/sbin/nginx", "nginx: worker process");
        assertThat(only().successorProcesses()).isEqualTo(2);
    }

    @Test
    void otherServersOfTheSameProgram_andTheirNewWorkers_areNoSuccessors() throws IOException {
        process(20, 1, "apache2", "/usr/sbin/apache2", "apache2");
        process(
                22,
                1,
                "apache2",
                "/usr/sbin/apache2",
                "apache2"); // started before, listens nowhere
        process(25, 1, "apache2", "/usr/sbin/apache2", "apache2");
        Files.writeString(proc.resolve("uptime"), "28.00 50.00\n");
        departures.update(List.of(server(20), server("here:81", 25)));
        end(20);
        process(40, 25, "apache2", "/usr/sbin/apache2", "apache2");
        departures.update(List.of(server("here:81", 25)));
        assertThat(only().successorProcesses()).isZero();

        process(50, 1, "apache2", "/usr/sbin/apache2", "apache2");
        assertThat(only().successorProcesses()).isEqualTo(1);
    }

    @Test
    void otherProgramOfTheSameRuntime_isNoSuccessor() throws IOException {
        process(20, 1, "java", "/opt/jdk/bin/java", "java\0Tomcat");
        departures.update(List.of(server(20)));
        end(20);
        process(30, 1, "java", "/opt/jdk/bin/java", "java\0Other");
        departures.update(List.of());
        assertThat(only().successorProcesses()).isZero();
        process(31, 1, "java", "/opt/jdk/bin/java", "java\0Tomcat");
        assertThat(only().successorProcesses()).isEqualTo(1);
    }

    @Test
    void shellWithALoop_supervises_whileItIsAlive() throws IOException {
        process(10, 1, "sh", "/bin/sh", "sh\0/run.sh");
        Files.createDirectories(proc.resolve("10/root"));
        Files.writeString(proc.resolve("10/root/run.sh"), "while :; do nginx; done\n");
        process(20, 10, "nginx", "/usr/sbin/nginx", "nginx");
        departures.update(List.of(server(20)));
        end(20);
        departures.update(List.of());
        assertThat(only().supervised()).isEqualTo(1);
        Files.writeString(proc.resolve("10/stat"), "");
        assertThat(only().supervised()).isZero();
    }

    @Test
    void shellThatOnlyStartedIt_isNoSupervisor() throws IOException {
        process(10, 1, "bash", "/bin/bash", "bash\0run.sh");
        Files.createDirectories(proc.resolve("10/cwd"));
        Files.writeString(proc.resolve("10/cwd/run.sh"), "nginx &\nsleep 1000\n");
        process(20, 10, "nginx", "/usr/sbin/nginx", "nginx");
        departures.update(List.of(server(20)));
        end(20);
        departures.update(List.of());
        assertThat(only().supervised()).isNull();
    }

    @Test
    void unitOfSystemd_tellsWhetherItRestarts_dropInsLast() throws IOException {
        Path units = proc.resolve("1/root/usr/lib/systemd/system");
        Files.createDirectories(units);
        Files.writeString(units.resolve("nginx.service"), "[Service]\nRestart=no\n");
        Path dropIn = proc.resolve("1/root/etc/systemd/system/nginx.service.d");
        Files.createDirectories(dropIn);
        Files.writeString(dropIn.resolve("a.conf"), "[Service]\nRestart=on-failure\n");
        process(20, 1, "nginx", "/usr/sbin/nginx", "nginx");
        Files.writeString(proc.resolve("20/cgroup"), "0::/system.slice/nginx.service\n");
        departures.update(List.of(server(20)));
        end(20);
        departures.update(List.of());
        assertThat(only().supervised()).isEqualTo(1);
        assertThat(only().unit()).isEqualTo("nginx.service (Restart=on-failure, no processes)");
    }

    @Test
    void serverThatListensAgain_isForgotten() throws IOException {
        process(20, 1, "nginx", "/usr/sbin/nginx", "nginx");
        departures.update(List.of(server(20)));
        departures.update(List.of());
        assertThat(departures.read(1)).isNotNull();
        departures.update(List.of(server(20)));
        assertThat(departures.read(2)).isNull();
    }

    @Test
    void newestOfMany_isFollowed() throws IOException {
        process(20, 1, "nginx", "/usr/sbin/nginx", "nginx");
        for (int port = 1; port <= 100; port++) {
            departures.update(List.of(server("here:" + port, 20)));
        }
        departures.update(List.of());
        assertThat(Objects.requireNonNull(departures.read(1)).servers())
                .hasSize(64)
                .extracting(HostSample.DepartedServer::service)
                .endsWith("here:99", "here:100");
    }

    private HostSample.DepartedServer only() {
        HostSample.@Nullable Departures read = departures.read(1);
        return Objects.requireNonNull(read).servers().getFirst();
    }

    private static DiscoveredServer server(long id) {
        return server("here:80", id);
    }

    private static DiscoveredServer server(String service, long id) {
        return new DiscoveredServer(
                service,
                "here",
                80,
                "nginx",
                null,
                List.of(),
                id,
                "/usr/sbin/nginx",
                List.of(),
                List.of(1L));
    }

    private void process(long id, long parent, String name, String program, String commandLine)
            throws IOException {
        Path directory = Files.createDirectories(proc.resolve(Long.toString(id)));
        Files.writeString(
                directory.resolve("stat"),
                id + " (" + name + ") S " + parent + " 1 1 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 "
                        + id * 100 + " 1000 10\n");
        Files.writeString(directory.resolve("cmdline"), commandLine + "\0");
        Files.createSymbolicLink(directory.resolve("exe"), Path.of(program));
    }

    private void end(long id) throws IOException {
        Path directory = proc.resolve(Long.toString(id));
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }
}
