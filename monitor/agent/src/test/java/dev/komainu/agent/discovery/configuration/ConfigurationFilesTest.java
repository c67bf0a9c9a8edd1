package dev.komainu.agent.discovery.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationFilesTest {

    @TempDir
    Path root;

    @Test
    void lines_linkInAContainer_staysInsideIt() throws Exception {
        Files.createDirectories(root.resolve("etc/app"));
        Files.writeString(root.resolve("etc/real.conf"), "inside\n");
        Files.createSymbolicLink(root.resolve("etc/app/absolute.conf"), Path.of("/etc/real.conf"));
        Files.createSymbolicLink(
                root.resolve("etc/app/above.conf"), Path.of("../../../../../../etc/real.conf"));
        Files.createSymbolicLink(root.resolve("etc/app/host.conf"), Path.of("/proc/version"));
        Files.createSymbolicLink(root.resolve("etc/app/circle.conf"), Path.of("circle.conf"));
        ConfigurationFiles files = ConfigurationFiles.under(root);
        assertThat(files.text("/etc/app/absolute.conf")).isEqualTo("inside\n");
        assertThat(files.text("/etc/app/above.conf")).isEqualTo("inside\n");
        assertThat(files.text("/etc/app/host.conf")).isNull();
        assertThat(files.text("/etc/app/circle.conf")).isNull();
        assertThat(files.matching("/etc/app/a*.conf"))
                .containsExactly("/etc/app/above.conf", "/etc/app/absolute.conf");
    }

    @Test
    void changed_anyFileReadSearchedOrMissing_isDetected() throws Exception {
        Path file = Files.writeString(root.resolve("a.conf"), "one");
        Path missing = root.resolve("b.conf");
        Path searched = Files.createDirectories(root.resolve("d"));
        ConfigurationFiles files = ConfigurationFiles.ofThisHost();
        files.text(file.toString());
        files.text(missing.toString());
        files.matching(searched + "/*.conf");
        assertThat(files.changed()).isFalse();

        FileTime before = Files.getLastModifiedTime(file);
        Files.writeString(file, "two");
        Files.setLastModifiedTime(file, FileTime.fromMillis(before.toMillis() + 1));
        assertThat(files.changed()).as("written").isTrue();
        Files.writeString(file, "one");
        Files.setLastModifiedTime(file, before);
        assertThat(files.changed()).isFalse();

        Files.writeString(missing, "here");
        assertThat(files.changed()).as("appeared").isTrue();
        Files.delete(missing);
        assertThat(files.changed()).isFalse();

        Files.writeString(searched.resolve("x.conf"), "here");
        assertThat(files.changed()).as("directory").isTrue();
    }

    @Test
    void text_deviceOrTooLarge_isNotReadButReported() throws Exception {
        ConfigurationFiles files = ConfigurationFiles.ofThisHost();
        assertThat(files.text("/dev/zero")).isNull();
        Path large = Files.write(root.resolve("large"), new byte[(4 << 20) + 1]);
        assertThat(files.text(large.toString())).isNull();
        assertThat(files.problems())
                .extracting(ConfigurationFiles.Problem::what)
                .containsExactly(
                        "not read (expected: a regular file)",
                        "not read: 4194305 bytes (expected: at most 4 MB, 16 MB together)");
    }

    @Test
    void read_pipeInPlaceOfTheFile_isRefusedAtOnce() throws Exception {
        Path pipe = root.resolve("pipe");
        RealServer.run(List.of("mkfifo", pipe.toString()));
        assertTimeoutPreemptively(
                Duration.ofSeconds(5),
                () -> assertThatThrownBy(() -> RegularFile.read(pipe, 10))
                        .isInstanceOf(IOException.class));
        Path file = Files.writeString(root.resolve("ü.conf"), "worker_processes 2;");
        assertThat(RegularFile.read(file, 6)).asString().isEqualTo("worker");
    }

    @Test
    void format_directivesAndLongWords_keepsDirectivesOnly() {
        List<String> kept = List.of(
                "$remote_addr - $remote_user [$time_local] \"$request\" $status rt=$request_time uct=\"${upstream_time}\"",
                "%h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\" %D %{ms}T",
                "%ts.%03tu %6tr %>a %Ss/%03>Hs %<st %rm %ru %[un %Sh/%<a %mt",
                "%>a %[ui %[un [%tl] \"%rm %ru HTTP/%rv\" %>Hs %<st \"%{Referer}>h\" \"%{User-Agent}>h\" %Ss:%Sh",
                "{\"remote_addr\":\"$remote_addr\",\"request_time\": $request_time}");
        kept.forEach(format -> assertThat(Redaction.format(format)).isEqualTo(format));
        assertThat(Redaction.format("$status token=hunter22 $uri"))
                .isEqualTo("$status token=*** $uri");
        assertThat(Redaction.format("Basic aHVudGVyMg== $uri")).isEqualTo("Basic ***== $uri");
        assertThat(Redaction.path("/var/log/nginx/access.log"))
                .isEqualTo("/var/log/nginx/access.log");
        assertThat(Redaction.path("/var/log/x password=hunter2")).isEmpty();
    }
}
