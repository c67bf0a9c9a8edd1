package dev.komainu.central.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the limits of what the provider can send. */
class ProviderConnectionTest {

    private final CountDownLatch end = new CountDownLatch(1);
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.start();
    }

    @AfterEach
    void stop() {
        end.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private URI serve(int status, byte[] body) {
        server.createContext("/", exchange -> {
            exchange.getResponseHeaders().add("Location", "/elsewhere");
            exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        return address();
    }

    private URI address() {
        return URI.create(
                "http://127.0.0.1:" + server.getAddress().getPort() + "/document?a=secret");
    }

    private static ProviderConnection connection(Duration patience) throws IOException {
        return new ProviderConnection(null, patience);
    }

    @Test
    void get_bodyAtTheLimit_isReturned() throws IOException {
        URI address = serve(200, new byte[ProviderConnection.MOST_BYTES]);

        assertThat(connection(Duration.ofSeconds(20)).get(address))
                .hasSize(ProviderConnection.MOST_BYTES);
    }

    @Test
    void get_bodyAboveTheLimit_fails() throws IOException {
        URI address = serve(200, new byte[ProviderConnection.MOST_BYTES + 1]);
        ProviderConnection connection = connection(Duration.ofSeconds(20));

        assertThatThrownBy(() -> connection.get(address)).isInstanceOf(IOException.class);
    }

    @Test
    void get_redirect_isNotFollowed() throws IOException {
        URI address = serve(302, new byte[0]);
        ProviderConnection connection = connection(Duration.ofSeconds(20));

        assertThatThrownBy(() -> connection.get(address)).hasMessageContaining("status 302");
    }

    @Test
    void get_bodyThatNeverEnds_failsInTimeWithoutTheQuery() throws IOException {
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 10);
            exchange.getResponseBody().write('{');
            exchange.getResponseBody().flush();
            awaitEnd();
        });
        ProviderConnection connection = connection(Duration.ofMillis(200));

        assertThatThrownBy(() -> connection.get(address()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no complete response")
                .hasMessageNotContaining("secret");
    }

    @Test
    void get_moreCallsThanTheLimit_failsAtOnce() throws Exception {
        CountDownLatch waiting = new CountDownLatch(ProviderConnection.MOST_CALLS);
        server.createContext("/", exchange -> {
            waiting.countDown();
            awaitEnd();
        });
        ProviderConnection connection = connection(Duration.ofMinutes(5));
        for (int i = 0; i < ProviderConnection.MOST_CALLS; i++) {
            threads.submit(() -> connection.get(address()));
        }
        waiting.await();

        assertThatThrownBy(() -> connection.get(address()))
                .hasMessageContaining("in progress: " + ProviderConnection.MOST_CALLS);
    }

    @Test
    void create_authoritiesThatAreNone_namesTheFile(@TempDir Path directory) throws IOException {
        Path file = Files.writeString(directory.resolve("ca.pem"), "nothing\n");

        assertThatThrownBy(() -> new ProviderConnection(file, Duration.ofSeconds(1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString());
    }

    private void awaitEnd() {
        try {
            end.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
