package dev.komainu.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.packet.FrameDecoder;
import dev.komainu.telemetry.kit.Promtool;
import dev.komainu.telemetry.record.SourceStatus;
import dev.komainu.telemetry.report.ReporterStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The agent's figures as Prometheus reads them. */
class MetricsEndpointTest {

    private static final SourceStatus STATUS = new SourceStatus(
            "here",
            SourceStatus.Kind.AGENT,
            "0.1",
            1_790_000_000_500_000L,
            1_790_000_010_000_000L,
            new SourceStatus.Use(52_428_800, 0.02),
            List.of("lo", "eth0"),
            List.of(new SourceStatus.Drops("kernel-drop", 7)),
            List.of(
                    new SourceStatus.Trouble("interface-down", "eth0 is down", null),
                    new SourceStatus.Trouble("interface-down", "eth1 is down", null)));

    private final AtomicReference<AgentFigures> figures = new AtomicReference<>(new AgentFigures(
            STATUS,
            Map.of(FrameDecoder.Outcome.TCP, 900L, FrameDecoder.Outcome.NOT_IP, 3L),
            new ReporterStatus(
                    4, 40, 0, 0, 1, 2, 5, 1_000, null, "https://centre-2.example:7600", 3)));

    private static String ask(MetricsEndpoint endpoint, String method, String path, String host)
            throws IOException {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), endpoint.address().getPort())) {
            socket.getOutputStream()
                    .write((method + " " + path + " HTTP/1.1\r\nHost: " + host
                                    + "\r\nConnection: close\r\n\r\n")
                            .getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private MetricsEndpoint open() throws IOException {
        @Nullable
        MetricsEndpoint endpoint = MetricsEndpoint.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), figures::get);
        assertThat(endpoint).isNotNull();
        return endpoint;
    }

    @Test
    void page_hasTheStatusTheFramesAndTheReporter() throws Exception {
        try (MetricsEndpoint endpoint = open()) {
            String answer = ask(endpoint, "GET", "/metrics", "127.0.0.1:9100");

            assertThat(answer)
                    .startsWith("HTTP/1.1 200 ")
                    .containsIgnoringCase("Content-type: text/plain; version=0.0.4")
                    .contains(
                            "komainu_agent_dropped_total{reason=\"kernel-drop\"} 7.0\n",
                            "komainu_agent_trouble{code=\"interface-down\"} 1.0\n",
                            "komainu_agent_capturing{interface=\"eth0\"} 1.0\n",
                            "komainu_agent_start_time_seconds 1.7900000005E9\n",
                            "komainu_agent_resident_memory_bytes 5.24288E7\n",
                            "komainu_agent_frames_total{outcome=\"not-ip\"} 3.0\n",
                            "komainu_agent_sent_records_total 40.0\n",
                            "komainu_agent_spool_bytes 1000.0\n",
                            "komainu_agent_central_address{address=\"https://centre-2.example:7600\"}"
                                    + " 1.0\n",
                            "komainu_agent_central_address_changes_total 3.0\n");
            assertThat(Promtool.complaints(answer.substring(answer.indexOf("\r\n\r\n") + 4)))
                    .isEmpty();
        }
    }

    @Test
    void page_beforeTheFirstStatus_isOfTheNextScrape() throws Exception {
        AgentFigures later = figures.get();
        figures.set(new AgentFigures(null, Map.of(), null));
        try (MetricsEndpoint endpoint = open()) {
            assertThat(ask(endpoint, "GET", "/metrics", "localhost"))
                    .startsWith("HTTP/1.1 200 ")
                    .doesNotContain("komainu_agent_");
            figures.set(later);
            assertThat(ask(endpoint, "GET", "/metrics", "localhost"))
                    .contains("komainu_agent_sent_batches_total 4.0\n");
        }
    }

    @Test
    void others_areRefused() throws Exception {
        try (MetricsEndpoint endpoint = open()) {
            assertThat(ask(endpoint, "GET", "/metrics", "rebound.example"))
                    .startsWith("HTTP/1.1 421 ")
                    .doesNotContain("komainu_agent_");
            assertThat(ask(endpoint, "GET", "/", "127.0.0.1")).startsWith("HTTP/1.1 404 ");
            assertThat(ask(endpoint, "POST", "/metrics", "[::1]:80"))
                    .startsWith("HTTP/1.1 405 ")
                    .contains("Allow: GET");
        }
    }

    @Test
    void none_withoutAnAddress() throws Exception {
        assertThat(MetricsEndpoint.open(null, figures::get)).isNull();
    }
}
