package dev.komainu.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.komainu.central.CentralClient;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Who is told of alerts: a mail server that speaks SMTP on a port of its own, and a webhook that
 * believes no signature unchecked.
 */
final class OnDuty implements AutoCloseable {

    private static final String SECRET = "known to both sides only";

    private final GreenMail mail;
    private final HttpServer hook;
    private final List<JsonNode> calls = new CopyOnWriteArrayList<>();
    private final List<String> refused = new CopyOnWriteArrayList<>();

    OnDuty() throws IOException {
        ServerSetup setup = new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP);
        setup.setServerStartupTimeout(120_000);
        mail = new GreenMail(setup);
        mail.start();
        hook = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        hook.createContext("/", this::called);
        hook.start();
    }

    /** Puts both down as receivers; the rules that come with the service tell everybody. */
    void enter(CentralClient administrator) {
        administrator
                .post(
                        "/api/v1/receivers",
                        Map.of(
                                "name",
                                "operators",
                                "type",
                                "mail",
                                "mail",
                                Map.of(
                                        "host",
                                        "127.0.0.1",
                                        "port",
                                        mail.getSmtp().getPort(),
                                        "security",
                                        "none",
                                        "from",
                                        "komainu@example.com",
                                        "to",
                                        List.of("operators@example.com"))))
                .expect(201);
        String url = "http://127.0.0.1:" + hook.getAddress().getPort() + "/alerts";
        administrator
                .post(
                        "/api/v1/receivers",
                        Map.of("name", "hook", "type", "webhook", "url", url, "secret", SECRET))
                .expect(201);
    }

    /** @param tell how the subject begins: {@code Firing}, {@code Resolved} */
    boolean hasMail(String tell, String service) {
        return Stream.of(mail.getReceivedMessages())
                .map(OnDuty::subject)
                .anyMatch(subject -> subject.startsWith(tell + ": " + service + " "));
    }

    /** @param status {@code firing}, {@code resolved} */
    boolean wasCalled(String status, String service) {
        return calls.stream()
                .anyMatch(call -> call.path("status").asString("").equals(status)
                        && call.at("/groupLabels/service").asString("").equals(service));
    }

    void assertEverySignatureWasRight() {
        assertThat(refused)
                .as("calls whose signature is not that of their body")
                .isEmpty();
    }

    private static String subject(MimeMessage message) {
        try {
            return String.valueOf(message.getSubject());
        } catch (MessagingException e) {
            return "no subject to be read: " + e;
        }
    }

    private void called(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        String header = exchange.getRequestHeaders().getFirst("Komainu-Signature");
        if (isGenuine(header, body)) {
            calls.add(JsonMapper.shared().readTree(body));
        } else {
            refused.add(header + " over " + new String(body, StandardCharsets.UTF_8));
        }
        exchange.sendResponseHeaders(200, -1);
        exchange.close();
    }

    /** As docs/alerts.md tells receivers to do it, written anew from that page. */
    private static boolean isGenuine(String header, byte[] body) {
        String[] parts = String.valueOf(header).split("[=,]");
        if (parts.length != 4 || !parts[0].equals("t") || !parts[2].equals("v1")) {
            return false;
        }
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(SECRET.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((parts[1] + ".").getBytes(StandardCharsets.US_ASCII));
            boolean fresh =
                    Math.abs(System.currentTimeMillis() / 1_000 - Long.parseLong(parts[1])) < 300;
            return fresh && Arrays.equals(HexFormat.of().parseHex(parts[3]), mac.doFinal(body));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            return false;
        }
    }

    @Override
    public void close() {
        hook.stop(0);
        mail.stop();
    }
}
