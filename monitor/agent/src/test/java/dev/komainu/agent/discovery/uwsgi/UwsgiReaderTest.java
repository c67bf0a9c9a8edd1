package dev.komainu.agent.discovery.uwsgi;

import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UwsgiReaderTest {

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a.ini | '[uwsgi]\nhttp-socket = :80\nworkers = 4\nbuffer_size = 8192\n[other]\nprocesses = 9\n'",
                "a.xml | '<uwsgi>\n  <http-socket>:80</http-socket>\n  <processes>4</processes>\n  <buffer-size>8192</buffer-size>\n</uwsgi>\n'",
                "a.yaml | 'uwsgi:\n  http-socket: :80\n  processes: 4\n  buffer-size: 8192\n'",
            })
    void read_everyForm_theSame(String name, String text) throws IOException {
        Path file = Files.writeString(directory.resolve(name), text);
        ServerConfiguration read = read(List.of(file.toString(), "--threads", "2"));

        assertThat(Readings.value(read, "processes")).isEqualTo("4");
        assertThat(Readings.value(read, "buffer-size")).isEqualTo("8192");
        assertThat(Readings.value(read, "threads")).isEqualTo("2");
        assertThat(Readings.value(read, "protocol")).isEqualTo("http");
        assertThat(Readings.value(read, "listen")).isEqualTo("100");
        assertThat(read.serves()).isTrue();
        assertThat(read.problems()).isEmpty();
    }

    @Test
    void read_includesThatIncludeEachOther_end() throws IOException {
        Path file = directory.resolve("a.ini");
        Path other = Files.writeString(
                directory.resolve("b.ini"),
                "[uwsgi]\nlisten = 64\nini = " + file + "\n[x]\nharakiri = 3\n");
        Files.writeString(file, "[uwsgi]\nini = " + other + "\nini = " + other + ":x\n");

        ServerConfiguration read = read(List.of("--ini=" + file));

        assertThat(Readings.value(read, "listen")).isEqualTo("64");
        assertThat(Readings.value(read, "harakiri")).isEqualTo("3");
    }

    @Test
    void read_portOfStatistics_servesNoRequests() {
        assertThat(read(List.of("--http", ":8080", "--stats", "127.0.0.1:80")).serves())
                .isFalse();
    }

    @Property(tries = 300)
    void read_anyFile_ends(@ForAll @StringLength(max = 400) String text) throws IOException {
        for (String ending : List.of(".ini", ".xml", ".yaml")) {
            Path file = Files.createTempFile("uwsgi", ending);
            try {
                Files.writeString(file, "[uwsgi]\n" + text);
                assertThat(read(List.of("--ini", file.toString(), text)).settings())
                        .isNotEmpty();
            } finally {
                Files.delete(file);
            }
        }
    }

    private static ServerConfiguration read(List<String> arguments) {
        List<String> line = new ArrayList<>(List.of("uwsgi"));
        line.addAll(arguments);
        return Readings.read(new UwsgiReader(), "uwsgi", "2.0.21", 80, line);
    }
}
