package dev.komainu.agent.order;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One value changes; all other bytes stay the same. */
class ConfigurationSyntaxTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "apache | '\tmaxrequestworkers   150  ' | MaxRequestWorkers | '\tmaxrequestworkers   400  '",
                "apache | 'MaxClients 150' | MaxRequestWorkers | 'MaxClients 400'",
                "nginx | 'events { worker_connections 512; use epoll; }' | worker_connections | 'events { worker_connections 400; use epoll; }'",
                "nginx | '  listen 127.0.0.1:80 backlog=5 reuseport;' | backlog | '  listen 127.0.0.1:80 backlog=400 reuseport;'",
                "squid | 'max_filedescriptors 1024 # as always' | max_filedescriptors | 'max_filedescriptors 400 # as always'",
                "haproxy | '    timeout client  50s' | 'timeout client' | '    timeout client  400'",
                "haproxy | '    maxconn 10' | 'frontend maxconn' | '    maxconn 400'",
                "komainu | '  max-per-client: 10000 # each' | connections.max-per-client | '  max-per-client: 400 # each'",
                "komainu | 'cache: { memory: 64MB, policy: lru }' | cache.memory | 'cache: { memory: 400, policy: lru }'",
                "tomcat | '<Connector port=\"80\" maxThreads=\"200\"/>' | maxThreads | '<Connector port=\"80\" maxThreads=\"400\"/>'",
                "tomcat | '<Connector port=\"80\"/>' | maxThreads | '<Connector maxThreads=\"400\" port=\"80\"/>'",
                "gunicorn | 'workers = 4  # each one process' | workers | 'workers = 400  # each one process'",
                "gunicorn | 'threads: int=2' | threads | 'threads: int=400'",
                "uwsgi | 'workers = 4 ; crew' | processes | 'workers = 400 ; crew'",
                "uwsgi | '  <buffer_size>4096</buffer_size>' | buffer-size | '  <buffer_size>400</buffer_size>'",
                "uwsgi | '  listen: 100' | listen | '  listen: 400'",
                "php-fpm | 'pm.max_children = 5 ; few' | pm.max_children | 'pm.max_children = 400 ; few'",
            })
    void replaced_whereItWasFound_nothingElseChanges(
            String kind, String line, String setting, String expected) {
        String text = "first\r\n" + line + "\nlast, no line end \u00e9";

        assertThat(syntax(kind).replaced(text, 2, setting, "400"))
                .isEqualTo("first\r\n" + expected + "\nlast, no line end \u00e9");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "apache | '# MaxRequestWorkers 150' | MaxRequestWorkers",
                "apache | 'MaxRequestWorkersX 150' | MaxRequestWorkers",
                "nginx | '# worker_connections 512;' | keepalive_timeout",
                "nginx | 'my_worker_connections 512;' | worker_connections",
                "squid | 'max_filedescriptors' | max_filedescriptors",
                "haproxy | 'timeout server 50s' | 'timeout client'",
                "gunicorn | '    workers = 4' | workers",
                "gunicorn | 'workers = cpu_count() * 2' | workers",
                "uwsgi | ';processes = 4' | processes",
                "php-fpm | ';pm.max_children = 5' | pm.max_children",
                "php-fpm | 'pm.max_children_x = 5' | pm.max_children",
            })
    void replaced_whereItIsNotWritten_isNull(String kind, String line, String setting) {
        assertThat(syntax(kind).replaced("first\n" + line + "\n", 2, setting, "400"))
                .isNull();
        assertThat(syntax(kind).replaced("one line", 9, setting, "400")).isNull();
    }

    @Test
    void inserted_setting_isPutWhereItApplies() {
        String nginx = "user www;\nevents {\n}\nhttp {\n  server { listen 8080; }\n}\n";
        assertThat(syntax("nginx").inserted(nginx, "worker_processes", "4", 8080))
                .startsWith("worker_processes 4;\nuser");
        assertThat(syntax("nginx").inserted(nginx, "worker_connections", "4", 8080))
                .contains("events {\n    worker_connections 4;\n}");
        assertThat(syntax("nginx").inserted(nginx, "keepalive_timeout", "4s", 8080))
                .contains("http {\n    keepalive_timeout 4s;\n");
        assertThat(syntax("nginx").inserted(nginx, "backlog", "4", 8080))
                .contains("listen 8080 backlog=4;");
        assertThat(syntax("nginx").inserted(nginx, "backlog", "4", 80)).isNull();
        assertThat(syntax("nginx").inserted("server {}\n", "worker_connections", "4", 80))
                .isNull();
        assertThat(syntax("apache").inserted("A b", "ListenBacklog", "4", 80))
                .isEqualTo("A b\nListenBacklog 4\n");
        assertThat(syntax("haproxy").inserted("global\n  daemon\n", "maxconn", "4", 80))
                .isEqualTo("global\n    maxconn 4\n  daemon\n");
        assertThat(syntax("tomcat")
                        .inserted(
                                "<!-- <Connector port=\"80\"/> -->\n<Connector\n port=\"80\" />",
                                "acceptCount",
                                "4",
                                80))
                .isEqualTo(
                        "<!-- <Connector port=\"80\"/> -->\n<Connector acceptCount=\"4\"\n port=\"80\" />");
    }

    @Test
    void inserted_ofApplicationServers_isPutWhereItApplies() {
        assertThat(syntax("gunicorn").inserted("bind = 'a'", "workers", "4", 80))
                .isEqualTo("bind = 'a'\nworkers = 4\n");
        assertThat(syntax("gunicorn").inserted("", "worker_class", "gthread", 80))
                .isEqualTo("worker_class = \"gthread\"\n");
        assertThat(syntax("uwsgi").inserted("[uwsgi]\nmaster = 1\n", "listen", "4", 80))
                .isEqualTo("[uwsgi]\nlisten = 4\nmaster = 1\n");
        assertThat(syntax("uwsgi").inserted("<uwsgi>\n</uwsgi>", "listen", "4", 80))
                .isEqualTo("<uwsgi>\n  <listen>4</listen>\n</uwsgi>");
        assertThat(syntax("uwsgi").inserted("uwsgi:\n  master: 1\n", "listen", "4", 80))
                .isEqualTo("uwsgi:\n  listen: 4\n  master: 1\n");
        String pools = "[a]\nlisten = 127.0.0.1:8080\n[b]\nlisten = 80 ; web\n";
        assertThat(syntax("php-fpm").inserted(pools, "pm.max_requests", "4", 80))
                .isEqualTo(pools + "pm.max_requests = 4\n");
        assertThat(syntax("php-fpm").inserted(pools, "pm.max_requests", "4", 8080))
                .contains("[a]\nlisten = 127.0.0.1:8080\npm.max_requests = 4\n[b]");
        assertThat(syntax("php-fpm").inserted(pools, "pm.max_requests", "4", 8)).isNull();
    }

    private static ConfigurationSyntax syntax(String kind) {
        return Objects.requireNonNull(FileSettingApplier.syntax(kind));
    }
}
