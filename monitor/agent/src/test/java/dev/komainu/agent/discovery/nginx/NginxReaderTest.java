package dev.komainu.agent.discovery.nginx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.discovery.configuration.AccessLogPlace;
import dev.komainu.agent.discovery.configuration.Readings;
import dev.komainu.agent.discovery.configuration.ServerConfiguration;
import dev.komainu.agent.discovery.configuration.Upstream;
import dev.komainu.telemetry.record.ServiceSighting.Setting;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NginxReaderTest {

    @TempDir
    Path directory;

    @Test
    void read_includesAndServerOfThePort_returnsEffectiveValuesWithTheirLine() throws Exception {
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
                    location / { proxy_set_header Authorization "Basic c2VjcmV0"; proxy_read_timeout 7s; }
                    location /deep { keepalive_timeout 1s; }
                }
                server { listen 9090; keepalive_timeout 9; }
                """);
        ServerConfiguration of8080 = read(main, 8080);
        assertThat(of8080.settings())
                .contains(
                        new Setting("worker_processes", "4", main + ":2"),
                        new Setting("worker_connections", "768", main + ":4"),
                        new Setting("keepalive_timeout", "5s", directory + "/conf.d/site.conf:3"),
                        new Setting("backlog", "4096", directory + "/conf.d/site.conf:2"),
                        new Setting("reuseport", "on", directory + "/conf.d/site.conf:2"),
                        new Setting("keepalive_requests", "1000", "default of nginx 1.22.1"));
        assertThat(of8080.toString()).doesNotContain("c2VjcmV0").doesNotContain("secret/place");
        assertThat(read(main, 9090).settings())
                .contains(
                        new Setting("keepalive_timeout", "9", directory + "/conf.d/site.conf:7"),
                        new Setting("backlog", "511", "default of nginx 1.22.1"));
        assertThat(of8080.files()).hasSize(2).first().satisfies(file -> {
            assertThat(file.path()).isEqualTo(main.toString());
            assertThat(file.bytes()).isEqualTo(Files.size(main));
        });
    }

    @Test
    void read_severalServersOnThePort_returnsTheDefaultServersValuesAndAllLogsAndUpstreams()
            throws Exception {
        Path main = Files.writeString(directory.resolve("nginx.conf"), """
                http {
                    log_format timed '$remote_addr [$time_local] "$request" '
                                     '$status $request_time';
                    access_log /var/log/nginx/main.log timed buffer=32k;
                    upstream app { server 10.0.0.1:8080 max_conns=5; server [fd00::2]; server app.local:81; server 10.0.0.9 down; keepalive 16; }
                    server { listen 80; send_timeout 1; location / { proxy_pass http://app/x; } }
                    server { listen *:80 default_server; send_timeout 2; access_log logs/own.log;
                             location /a { if ($x) { proxy_pass http://user:hunter2@10.0.0.3:99/; } fastcgi_pass unix:/run/php.sock; } }
                    server { listen 81; proxy_pass http://10.9.9.9; }
                }
                """);
        ServerConfiguration read = read(main, 80);
        assertThat(Readings.value(read, "send_timeout")).isEqualTo("2");
        assertThat(read.accessLogs())
                .extracting(AccessLogPlace::path)
                .containsExactly(directory + "/logs/own.log", "/var/log/nginx/main.log");
        assertThat(read.accessLogs().get(1).format())
                .isEqualTo("$remote_addr [$time_local] \"$request\" $status $request_time");
        assertThat(read.upstreams())
                .extracting(Upstream::address)
                .containsExactly(
                        "10.0.0.3:99",
                        "unix:/run/php.sock",
                        "10.0.0.1:8080",
                        "[fd00::2]:80",
                        "app.local:81");
        assertThat(read.upstreams())
                .extracting(u -> u.endpoint() != null)
                .containsExactly(true, false, true, true, false);
        assertThat(Readings.value(read, "upstream:keepalive")).isEqualTo("16");
        assertThat(Readings.value(read, "proxy_http_version")).isEqualTo("1.0");
        assertThat(read.toString()).doesNotContain("hunter2");
    }

    @Test
    void read_logFormatWithoutEnd_isIgnored() throws Exception {
        Path main = Files.writeString(directory.resolve("nginx.conf"), """
                http {
                    log_format own '$remote_addr "$request"'
                    secret_link_md5 "hunter2$uri";
                    access_log /var/log/nginx/main.log own;
                    server { listen 80; }
                }
                """);
        ServerConfiguration read = read(main, 80);
        assertThat(read.accessLogs()).isEmpty();
        assertThat(read.toString())
                .contains("log_format (expected: to end with ;")
                .doesNotContain("hunter2");
    }

    @Test
    void read_olderVersion_returnsItsDefaults() throws Exception {
        Path main = Files.writeString(
                directory.resolve("nginx.conf"), "http { server { listen 80; } }");
        ServerConfiguration old = Readings.read(
                new NginxReader(),
                "nginx",
                "1.10.3",
                80,
                List.of("nginx", "-p", directory.toString(), "-c", main.toString()));
        assertThat(Readings.value(old, "keepalive_requests")).isEqualTo("100");
        assertThat(Readings.value(old, "accept_mutex")).isEqualTo("on");
        assertThat(Readings.value(old, "keepalive_time")).isEqualTo("absent");
    }

    @Test
    void read_directivesOfTheCommandLine_apply() throws Exception {
        Path main = Files.writeString(
                directory.resolve("nginx.conf"), "http { server { listen 80; } }");
        String title = "nginx: master process nginx -g daemon off; worker_processes 3; -c " + main;
        ServerConfiguration read =
                Readings.read(new NginxReader(), "nginx", "1.22.1", 80, List.of(title.split(" ")));
        assertThat(read.settings()).contains(new Setting("worker_processes", "3", "command line"));
    }

    @Test
    void read_invalidValue_isAProblemWithoutItsText() throws Exception {
        Path main = Files.writeString(directory.resolve("nginx.conf"), """
                worker_processes 2
                password hunter2;
                http { server { listen 80; } }
                """);
        ServerConfiguration read = read(main, 80);
        assertThat(read.problems())
                .contains(main + ":1: worker_processes (expected: a number or a known word)");
        assertThat(read.toString()).doesNotContain("hunter2");
    }

    @Test
    void read_fileIncludingItself_ends() throws Exception {
        Path main = directory.resolve("nginx.conf");
        Files.writeString(
                main, "include " + main + ";\ninclude " + main + ";\nworker_processes 3;\n");
        ServerConfiguration read = read(main, 80);
        assertThat(read.settings()).contains(new Setting("worker_processes", "3", main + ":3"));
        assertThat(read.problems())
                .anyMatch(problem -> problem.contains("expected: at most 1000 files"));
    }

    @Test
    void read_missingFile_returnsDefaultsAndAProblem() {
        ServerConfiguration read = read(directory.resolve("none.conf"), 80);
        assertThat(read.settings())
                .isNotEmpty()
                .allSatisfy(setting -> assertThat(setting.source()).startsWith("default of nginx"));
        assertThat(read.problems())
                .singleElement()
                .asString()
                .contains("none.conf: cannot be read");
    }

    @Property(tries = 500)
    void statements_anyText_end(@ForAll @StringLength(max = 200) String text) {
        NginxFile.statements(List.of(text.split("\n")));
    }

    @Property(tries = 500)
    void statements_likelyText_end(@ForAll("likely") String text) {
        NginxFile.statements(List.of(text.split("\n")));
    }

    @Provide
    Arbitrary<String> likely() {
        return Arbitraries.strings().withChars("ab;{}\"'\\$# \n").ofMaxLength(40);
    }

    private ServerConfiguration read(Path main, int port) {
        return Readings.read(
                new NginxReader(),
                "nginx",
                "1.22.1",
                port,
                List.of(
                        "nginx:",
                        "master",
                        "process",
                        "nginx",
                        "-p",
                        directory.toString(),
                        "-c",
                        main.toString()));
    }
}
