package dev.komainu.central.oidc;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The receiver of the provider's back-channel logouts in the tests, so that a test decides which of
 * the provider's tokens reaches the service, and how often.
 */
final class LogoutInbox implements AutoCloseable {

    private final HttpServer server;
    private final BlockingQueue<String> forms = new LinkedBlockingQueue<>();

    LogoutInbox() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            forms.add(exchange.getRequestURI().getPath().substring(1) + " "
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
    }

    /** Returns the address at which the tokens for a client arrive. */
    String address(String client) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/" + client;
    }

    /** Takes the next form for a client; others that came before are dropped. */
    String take(String client) throws InterruptedException {
        for (String each = forms.poll(30, TimeUnit.SECONDS);
                each != null;
                each = forms.poll(30, TimeUnit.SECONDS)) {
            if (each.startsWith(client + " ")) {
                return each.substring(client.length() + 1);
            }
        }
        throw new AssertionError("no logout token for " + client + " within 30 s");
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
