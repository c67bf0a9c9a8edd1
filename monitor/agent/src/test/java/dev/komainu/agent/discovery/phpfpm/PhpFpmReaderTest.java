package dev.komainu.agent.discovery.phpfpm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.discovery.configuration.Readings;
import dev.komainu.agent.discovery.configuration.ServerConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PhpFpmReaderTest {

    @TempDir
    Path directory;

    @Test
    void read_severalPools_theOneOfThePort() throws IOException {
        Files.createDirectories(directory.resolve("pool.d"));
        Path main = Files.writeString(
                directory.resolve("php-fpm.conf"),
                "[global]\nprocess.max = 40\npm.max_children = 999\ninclude=pool.d/*.conf\n");
        Files.writeString(
                directory.resolve("pool.d/a.conf"),
                "[a]\nlisten = 127.0.0.1:9001\npm = static\npm.max_children = 3\n");
        Path b = Files.writeString(directory.resolve("pool.d/b.conf"), """
                ; the other one
                [b]
                listen = "[::]:9002"
                pm = dynamic
                pm.max_children = 20 ; processes
                pm.min_spare_servers = 2
                pm.max_spare_servers = 8
                pm.status_path = /status
                php_admin_value[memory_limit] = 32M
                """);

        ServerConfiguration read = read(main, 9002);

        assertThat(Readings.value(read, "pm.max_children")).isEqualTo("20");
        assertThat(Readings.value(read, "pm.start_servers")).isEqualTo("5");
        assertThat(Readings.value(read, "process.max")).isEqualTo("40");
        assertThat(Readings.value(read, "memory_limit")).isEqualTo("32M");
        assertThat(Readings.value(read, "status-page")).isEqualTo("on");
        assertThat(Readings.value(read, "listen.backlog")).isEqualTo("511");
        assertThat(Readings.value(read, "protocol")).isEqualTo("fastcgi");
        assertThat(read.settings())
                .anySatisfy(setting -> assertThat(setting.source()).isEqualTo(b + ":5"));
        assertThat(read.problems()).isEmpty();
        assertThat(read(main, 90).problems())
                .containsExactly(main + ": no pool listens on port 90");
    }

    @Test
    void read_fileThatIncludesItself_ends() throws IOException {
        Path main = Files.writeString(
                directory.resolve("php-fpm.conf"),
                "[a]\nlisten = 80\npm.max_children = 4\ninclude = php-fpm.conf\n");

        assertThat(Readings.value(read(main, 80), "pm.max_children")).isEqualTo("4");
    }

    @Property(tries = 300)
    void read_anyFile_ends(@ForAll @StringLength(max = 400) String text) throws IOException {
        Path file = Files.createTempFile("fpm", ".conf");
        try {
            Files.writeString(file, "[a]\nlisten = 80\n" + text);
            assertThat(read(file, 80).settings()).isNotEmpty();
        } finally {
            Files.delete(file);
        }
    }

    private static ServerConfiguration read(Path main, int port) {
        return Readings.read(
                new PhpFpmReader(),
                "php-fpm",
                "8.2.29",
                port,
                List.of("php-fpm:", "master", "process", "(" + main + ")"));
    }
}
