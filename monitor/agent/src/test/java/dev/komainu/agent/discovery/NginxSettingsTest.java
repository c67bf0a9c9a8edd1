package dev.komainu.agent.discovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NginxSettingsTest {

    @TempDir
    Path directory;

    @Test
    void read_includesAndServerOfThePort_giveEffectiveValuesWithTheirLine() throws Exception {
        Path main = directory.resolve("nginx.conf");
        Files.createDirectories(directory.resolve("conf.d"));
        Files.writeString(main, """
                # worker_processes 99;
                worker_processes  4;
                events {
                    worker_connections 768; # per worker
                }
                http {
                    keepalive_timeout 65;
                    ssl_certificate_key "/secret/place.key";
                    include conf.d/*.conf;
                }
                """);
        Files.writeString(directory.resolve("conf.d/site.conf"), """
                server {
                    listen 127.0.0.1:8080 backlog=4096 reuseport;
                    keepalive_timeout 5s;
                    location / { proxy_set_header Authorization "Basic c2VjcmV0"; keepalive_timeout 1s; }
                }
                server { listen 9090; keepalive_timeout 9; }
                """);
        List<Setting> settings = NginxSettings.read(SettingsSource.ofThisHost(), main.toString(), 8080);
        assertThat(settings)
                .contains(
                        new Setting("worker_processes", "4", main + ":2"),
                        new Setting("worker_connections", "768", main + ":4"),
                        new Setting("keepalive_timeout", "5s", directory + "/conf.d/site.conf:3"),
                        new Setting("backlog", "4096", directory + "/conf.d/site.conf:2"),
                        new Setting("keepalive_requests", "1000", "default"));
        assertThat(settings.toString()).doesNotContain("secret").doesNotContain("c2VjcmV0");
        assertThat(NginxSettings.read(SettingsSource.ofThisHost(), main.toString(), 9090))
                .contains(new Setting("keepalive_timeout", "9", directory + "/conf.d/site.conf:6"))
                .contains(new Setting("backlog", "511", "default"));
    }

    @Test
    void read_fileIncludingItself_ends() throws Exception {
        Path main = directory.resolve("nginx.conf");
        Files.writeString(main, "include " + main + ";\ninclude " + main + ";\nworker_processes 3;\n");
        assertThat(NginxSettings.read(SettingsSource.ofThisHost(), main.toString(), 80))
                .contains(new Setting("worker_processes", "3", main + ":3"));
    }

    @Test
    void read_missingFile_givesDefaults() {
        assertThat(NginxSettings.read(SettingsSource.ofThisHost(), directory + "/none.conf", 80))
                .allSatisfy(setting -> assertThat(setting.source()).isEqualTo("default"));
    }

    @Property(tries = 500)
    void statements_anyText_end(@ForAll @StringLength(max = 200) String text) {
        NginxFile.statements(List.of(text.split("\n")));
    }

    @Property(tries = 500)
    void statements_likelyText_end(@ForAll("likely") String text) {
        NginxFile.statements(List.of(text.split("\n")));
    }

    @net.jqwik.api.Provide
    net.jqwik.api.Arbitrary<String> likely() {
        return net.jqwik.api.Arbitraries.strings().withChars("ab;{}\"'\\$# \n").ofMaxLength(40);
    }
}
