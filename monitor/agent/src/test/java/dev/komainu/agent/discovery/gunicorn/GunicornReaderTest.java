package dev.komainu.agent.discovery.gunicorn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.komainu.agent.discovery.configuration.Readings;
import dev.komainu.agent.discovery.configuration.ServerConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GunicornReaderTest {

    @TempDir
    Path directory;

    @Test
    void read_everySource_laterOnesWin() throws IOException {
        Path file = Files.writeString(directory.resolve("g.py"), """
                import multiprocessing
                workers = 3
                threads = 4  # of each
                backlog = 64
                if True:
                    backlog = 9
                text = \"\"\"
                graceful_timeout = 1
                \"\"\"
                accesslog = '/var/log/g.log'
                """);
        ServerConfiguration read = read(
                List.of("--workers=8", "-t", "20", "-c", file.toString(), "a:b"),
                "GUNICORN_CMD_ARGS=--workers 5 --keep-alive 7",
                "WEB_CONCURRENCY=2");

        assertThat(read.settings())
                .extracting("name", "value", "source")
                .contains(
                        tuple("workers", "8", "command line --workers"),
                        tuple("timeout", "20", "command line -t"),
                        tuple("keepalive", "7", "environment GUNICORN_CMD_ARGS --keep-alive"),
                        tuple("threads", "4", file + ":3"),
                        tuple("backlog", "64", file + ":4"),
                        tuple("graceful_timeout", "30", "default of gunicorn"),
                        tuple("worker_class", "gthread", file + ":3 (sync, changed by threads)"),
                        tuple("max_requests", "0", "default of gunicorn"));
        assertThat(read.accessLogs())
                .singleElement()
                .satisfies(log -> assertThat(log.path()).isEqualTo("/var/log/g.log"));
        assertThat(read.problems()).isEmpty();
    }

    @Test
    void read_expression_isNotComputed() throws IOException {
        Path file = Files.writeString(
                directory.resolve("g.py"),
                "workers = multiprocessing.cpu_count() * 2 + 1\ntimeout = int('5')\n");
        ServerConfiguration read = read(List.of("-c", file.toString()));

        // Process 1 of this host, as which the reader takes the server, may have any number of
        // children.
        assertThat(read.settings())
                .filteredOn(setting -> setting.name().equals("workers"))
                .singleElement()
                .satisfies(setting -> assertThat(setting.source())
                        .containsAnyOf(file + ":1, an expression", "default of gunicorn"));
        assertThat(read.problems())
                .containsExactly(
                        file + ":2: timeout is an expression (expected: a number or a text)");
    }

    @Property(tries = 300)
    void read_anyFile_endsAndReportsPlainValues(@ForAll @StringLength(max = 400) String text)
            throws IOException {
        Path file = Files.createTempFile("gunicorn", ".py");
        try {
            Files.writeString(file, "workers = 2\n" + text);
            assertThat(read(List.of("-c", file.toString(), text)).settings())
                    .allSatisfy(
                            setting -> assertThat(setting.value()).hasSizeLessThanOrEqualTo(1_000));
        } finally {
            Files.delete(file);
        }
    }

    private static ServerConfiguration read(List<String> arguments, String... environment) {
        List<String> line = new ArrayList<>(List.of("/usr/bin/python3", "/usr/bin/gunicorn"));
        line.addAll(arguments);
        return Readings.read(new GunicornReader(), "gunicorn", null, 80, line, environment);
    }
}
