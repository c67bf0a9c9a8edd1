package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.Certified;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.telemetry.kit.Promtool;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLSocket;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The metrics page, read according to Prometheus' text format 0.0.4. */
class MetricsTest {

    private static final Pattern SAMPLE = Pattern.compile(
            "([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{((?:[a-zA-Z_]\\w*=\"(?:[^\"\\\\\n]|\\\\[\\\\\"n])*\",?)+)})? ([+-]?(?:\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|Inf|NaN))");

    private final HttpClient http = HttpClient.newHttpClient();
    private String lastPage = "";

    /**
     * Returns the samples by name and labels; fails on anything that a strict reader would refuse.
     */
    private static Map<String, Double> samples(String page) {
        assertThat(page).endsWith("\n").doesNotContain("\r").doesNotContain("\n\n");
        Map<String, Double> samples = new LinkedHashMap<>();
        Map<String, String> types = new LinkedHashMap<>();
        String family = "";
        for (String line : page.split("\n")) {
            if (line.startsWith("# HELP ")) {
                family = line.split(" ")[2];
                assertThat(types).as("HELP once, before TYPE: %s", line).doesNotContainKey(family);
            } else if (line.startsWith("# TYPE ")) {
                String[] words = line.split(" ");
                assertThat(words[2]).isEqualTo(family);
                assertThat(words[3]).isIn("counter", "gauge", "histogram");
                assertThat(types.put(family, words[3])).isNull();
            } else {
                Matcher sample = SAMPLE.matcher(line);
                assertThat(sample.matches()).as(line).isTrue();
                String type = types.getOrDefault(family, "none");
                String name = sample.group(1);
                if (type.equals("histogram")) {
                    assertThat(name).isIn(family + "_bucket", family + "_sum", family + "_count");
                } else {
                    assertThat(name).isEqualTo(family);
                    assertThat(name.endsWith("_total")).isEqualTo(type.equals("counter"));
                }
                String key = name + "{" + sample.group(2) + "}";
                assertThat(samples.put(key, Double.valueOf(sample.group(3))))
                        .as("twice: %s", line)
                        .isNull();
            }
        }
        return samples;
    }

    private Map<String, Double> page(ProxyFixture proxy) throws Exception {
        HttpResponse<String> answer = http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:"
                                + proxy.proxy.controlAddress().getPort() + "/metrics"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.headers().firstValue("Content-Type"))
                .hasValue("text/plain; version=0.0.4; charset=utf-8");
        lastPage = answer.body();
        return samples(answer.body());
    }

    private static double of(Map<String, Double> samples, String name) {
        return samples.get("komainu_proxy_" + name);
    }

    private static void monotonic(Map<String, Double> before, Map<String, Double> after) {
        double last = 0;
        for (Map.Entry<String, Double> sample : after.entrySet()) {
            String name = sample.getKey();
            if (name.contains("_total{")
                    || name.contains("_bucket{")
                    || name.contains("_count{")
                    || name.contains("_sum{")) {
                assertThat(sample.getValue())
                        .as(name)
                        .isGreaterThanOrEqualTo(before.getOrDefault(name, 0.0));
            }
            if (name.contains("_bucket{")) {
                last = name.contains("\"1.0E-4\"") ? 0 : last;
                assertThat(sample.getValue())
                        .as("cumulative: %s", name)
                        .isGreaterThanOrEqualTo(last);
                last = sample.getValue();
            }
        }
    }

    @Test
    void page_isReadStrictly_andOnlyGrows() throws Exception {
        try (ScriptedOrigin origin = new ScriptedOrigin()
                        .ok("/a", "Cache-Control: max-age=60\r\n", "x".repeat(5000));
                ProxyFixture proxy =
                        new ProxyFixture("origin", origin.url(), "control.listen", "127.0.0.1:0");
                RawClient client = proxy.client()) {
            Map<String, Double> before = page(proxy);
            for (int round = 1; round <= 3; round++) {
                client.get("/a");
                client.get("/a");
                double responses = round * 2;
                Map<String, Double> earlier = before;
                Map<String, Double> now = Awaitility.await()
                        .until(
                                () -> page(proxy),
                                page -> of(page, "responses_total{null}") == responses);
                monotonic(earlier, now);
                before = now;
            }
            assertThat(of(before, "hit_response_seconds_count{null}")).isEqualTo(5);
            assertThat(of(before, "hit_response_seconds_bucket{le=\"+Inf\"}")).isEqualTo(5);
            assertThat(of(before, "origin_response_seconds_count{null}")).isEqualTo(1);
            assertThat(of(before, "cache_part_bytes{part=\"bodies\"}")).isBetween(5000.0, 6000.0);
            assertThat(of(before, "cache_part_bytes{part=\"heap\"}")).isBetween(100.0, 2000.0);
            assertThat(of(before, "cache_part_bytes{part=\"moving\"}")).isZero();
            assertThat(of(before, "hit_sent_bytes_total{null}")).isBetween(25_000.0, 30_000.0);
            assertThat(of(before, "received_bytes_total{null}")).isGreaterThan(6 * 30);
            Map<String, Double> idle = Awaitility.await()
                    .until(
                            () -> page(proxy),
                            page -> of(page, "idle_connections{age=\"0-1\",side=\"client\"}") == 1
                                    || of(page, "idle_connections{age=\"1-5\",side=\"client\"}")
                                            == 1);
            assertThat(of(idle, "idle_closed_total{reason=\"newcomer\",side=\"client\"}"))
                    .isZero();
            assertThat(of(idle, "idle_closed_total{reason=\"ports\",side=\"origin\"}"))
                    .isZero();
            assertThat(of(idle, "resource_used{resource=\"clients\"}")).isOne();
            assertThat(of(idle, "resource_limit{resource=\"clients\"}")).isEqualTo(10_000);
            assertThat(of(idle, "resource_reclaim_begin_ratio{resource=\"clients\"}"))
                    .isEqualTo(0.9);
            assertThat(of(idle, "resource_short{resource=\"clients\"}")).isZero();
            assertThat(of(idle, "client_idle_timeout_seconds{null}")).isBetween(60.0, 300.0);
        }
    }

    @Test
    void page_withEveryPart_satisfiesPromtool(@TempDir Path directory) throws Exception {
        Certified certified = Certified.make(directory, "EC", "-1d", "one.example");
        try (ScriptedOrigin origin =
                        new ScriptedOrigin().ok("/a", "Cache-Control: max-age=60\r\n", "x");
                ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        origin.url(),
                        "control.listen",
                        "127.0.0.1:0",
                        "cache.disk",
                        directory.resolve("disk") + ":64MB",
                        "buffers.scheme",
                        "equation",
                        "tls.listen",
                        "127.0.0.1:0",
                        "tls.certificates",
                        certified.write(directory, "one"));
                RawClient client = proxy.client()) {
            client.get("/a");
            assertThat(page(proxy).keySet())
                    .anyMatch(name -> name.startsWith("komainu_proxy_disk_"))
                    .anyMatch(name -> name.startsWith("komainu_proxy_peak"))
                    .anyMatch(name -> name.startsWith("komainu_proxy_buffer_budget_bytes"))
                    .anyMatch(name -> name.startsWith("komainu_proxy_tls_engine_info"));
            assertThat(Promtool.complaints(lastPage)).isEmpty();
        }
    }

    @Test
    void tls_isReportedByVersionReasonAndCertificate(@TempDir Path directory) throws Exception {
        Certified certified = Certified.make(directory, "EC", "-1d", "one.example");
        try (ScriptedOrigin origin =
                        new ScriptedOrigin().ok("/a", "Cache-Control: max-age=60\r\n", "x");
                ProxyFixture proxy = new ProxyFixture(
                        "origin",
                        origin.url(),
                        "control.listen",
                        "127.0.0.1:0",
                        "tls.listen",
                        "127.0.0.1:0",
                        "tls.certificates",
                        certified.write(directory, "one"))) {
            try (SSLSocket socket = Certified.connect(
                    Certified.trusting(),
                    proxy.proxy.addresses().getLast(),
                    "one.example",
                    "TLSv1.3")) {
                new RawClient(socket).get("/a");
            }
            try (RawClient clear = new RawClient(proxy.proxy.addresses().getLast())) {
                clear.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
                clear.rest();
            }
            Map<String, Double> now = Awaitility.await()
                    .until(
                            () -> page(proxy),
                            page -> of(page, "tls_handshake_failures_total{reason=\"not-tls\"}")
                                    == 1);
            assertThat(of(now, "tls_handshakes_total{resumed=\"no\",version=\"1.3\"}"))
                    .isEqualTo(1);
            assertThat(of(now, "tls_handshakes_total{resumed=\"no\",version=\"1.2\"}"))
                    .isZero();
            assertThat(of(
                            now,
                            "tls_certificate_expiry_seconds{file=\"" + directory
                                    + "/one.crt\",name=\"one.example\"}"))
                    .isEqualTo(certified.certificate().getNotAfter().getTime() / 1000.0);
            assertThat(of(now, "tls_certificate_reads_total{outcome=\"refused\"}"))
                    .isZero();
            assertThat(now.keySet())
                    .anyMatch(name -> name.startsWith("komainu_proxy_tls_engine_info{engine="));
        }
    }
}
