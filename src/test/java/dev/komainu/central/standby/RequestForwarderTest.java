package dev.komainu.central.standby;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.komainu.central.api.problem.ProblemWriter;
import dev.komainu.central.lease.Lease;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import tools.jackson.databind.json.JsonMapper;

/** Requests and responses of the holder of the lease, as they pass the one that waits. */
class RequestForwarderTest {

    private final AtomicReference<Map<String, List<String>>> fields = new AtomicReference<>();
    private final AtomicReference<byte[]> body = new AtomicReference<>();
    private HttpServer holder;

    @BeforeEach
    void start() throws Exception {
        holder = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        holder.createContext("/", exchange -> {
            Map<String, List<String>> received = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            received.putAll(exchange.getRequestHeaders());
            fields.set(received);
            body.set(exchange.getRequestBody().readAllBytes());
            exchange.getResponseHeaders().add("Retry-After", "7");
            exchange.getResponseHeaders().add("Set-Cookie", "a=1");
            exchange.getResponseHeaders().add("Set-Cookie", "b=2");
            byte[] answer = "query=%s"
                    .replace("%s", String.valueOf(exchange.getRequestURI()))
                    .getBytes(java.nio.charset.StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(418, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        holder.start();
    }

    @AfterEach
    void stop() {
        holder.stop(0);
    }

    private MockHttpServletResponse forward(MockHttpServletRequest request) throws Exception {
        Lease lease = new Lease(
                3, "one", "http://127.0.0.1:" + holder.getAddress().getPort(), "secret", true);
        MockHttpServletResponse response = new MockHttpServletResponse();
        new RequestForwarder(() -> lease, new ProblemWriter(JsonMapper.shared()), null)
                .doFilter(request, response, new MockFilterChain());
        return response;
    }

    @Test
    void request_arrivesWithItsFieldsAndItsBytes_andTheResponseComesBack() throws Exception {
        byte[] sent = new byte[100_000];
        new Random(7).nextBytes(sent);
        MockHttpServletRequest request = new MockHttpServletRequest("POST", "/api/v1/in%2Fgest");
        request.setQueryString("a=b%20c&d");
        request.setContent(sent);
        request.setRemoteAddr("192.0.2.7");
        request.addHeader("Content-Type", "application/x-komainu-batch");
        request.addHeader("Content-Encoding", "zstd");
        request.addHeader("Komainu-Batch", "agent@a/7/1");
        request.addHeader("Connection", "close");
        request.addHeader("Komainu-Client-Address", "127.0.0.1");
        request.addHeader("Client-Cert", ":AAAA:");

        MockHttpServletResponse response = forward(request);

        assertThat(body.get()).isEqualTo(sent);
        assertThat(fields.get())
                .containsEntry("Content-Encoding", List.of("zstd"))
                .containsEntry("Content-Type", List.of("application/x-komainu-batch"))
                .containsEntry("Komainu-Batch", List.of("agent@a/7/1"))
                .containsEntry("Komainu-Lease", List.of("secret"))
                .containsEntry("Komainu-Client-Address", List.of("192.0.2.7"))
                .containsEntry("Content-Length", List.of("100000"))
                .doesNotContainKey("Client-Cert");
        assertThat(response.getStatus()).isEqualTo(418);
        assertThat(response.getHeader("Retry-After")).isEqualTo("7");
        assertThat(response.getHeaders("Set-Cookie")).containsExactly("a=1", "b=2");
        assertThat(response.getContentAsString()).isEqualTo("query=/api/v1/in%2Fgest?a=b%20c&d");
    }

    @Test
    void holderIsAway_isToldAsSuch_withoutASecondTry() throws Exception {
        holder.stop(0);

        MockHttpServletResponse response =
                forward(new MockHttpServletRequest("GET", "/api/v1/services"));

        assertThat(response.getStatus()).isEqualTo(503);
        assertThat(response.getContentAsString()).contains("no-judge").contains("does not respond");
        assertThat(response.getHeader("Retry-After")).isEqualTo("1");
    }
}
