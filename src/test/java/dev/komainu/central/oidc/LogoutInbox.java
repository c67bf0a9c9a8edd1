package dev.komainu.central.oidc;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
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

    /**
     * Takes the next form for a client about a user; others that came before are dropped: the
     * provider sends one to each client of an ended session, also to those that no test waits for.
     *
     * @param subject the user's {@code sub}
     */
    String take(String client, String subject) throws InterruptedException {
        for (String each = forms.poll(30, TimeUnit.SECONDS);
                each != null;
                each = forms.poll(30, TimeUnit.SECONDS)) {
            if (each.startsWith(client + " ") && isAbout(each, subject)) {
                return each.substring(client.length() + 1);
            }
        }
        throw new AssertionError(
                "no logout token for " + client + " about " + subject + " within 30 s");
    }

    private static boolean isAbout(String form, String subject) {
        String claims = form.split("\\.")[1];
        return new String(Base64.getUrlDecoder().decode(claims), StandardCharsets.UTF_8)
                .contains("\"sub\":\"" + subject + "\"");
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
