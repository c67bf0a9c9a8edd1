package dev.komainu.telemetry.kit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import dev.komainu.telemetry.identity.CertificateNames;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.spec.X509EncodedKeySpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509TrustManager;

/**
 * A real HTTPS server that enrols parts, renews their certificates and accepts batches, as the
 * contract says. It checks the proof of each key, sees the certificates of its clients, and can be
 * set to refuse.
 */
public final class EnrollingCentre implements AutoCloseable {

    /** The secret of every code. */
    public static final String SECRET = "AAAAbbbbCCCCddddEEEEffffGGGGhhhh";

    /** The id of the first source that enrols. */
    public static final String PART = "0b2f7f5e-3c1b-4e39-9d0c-2f6a3f1c5d11";

    private static final Duration EARLIER = Duration.ofHours(1);

    /**
     * A request, as it came.
     *
     * @param certificate of the client; null: it showed none
     * @param from the client's address and port
     */
    public record Request(
            String path,
            String body,
            String authorization,
            X509Certificate certificate,
            InetSocketAddress from) {

        /** Returns the text of a member of the JSON body; null: there is none. */
        public String text(String name) {
            Matcher member = Pattern.compile("\"" + name + "\":\"((?:[^\"\\\\]|\\\\.)*)\"")
                    .matcher(body);
            return member.find() ? member.group(1) : null;
        }
    }

    /** The part of a response to an enrolment that is lost with its connection. */
    public enum Loss {
        NONE,
        ALL,
        SECOND_HALF
    }

    private record Refusal(int status, String problem, String detail, String retryAfter) {}

    private final Clock clock;
    private final KeyPair keys = TestAuthority.keys();
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final Map<String, String> parts = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final InetSocketAddress address;
    private volatile TestAuthority authority;
    private volatile List<X509Certificate> chain;
    private volatile List<X509Certificate> authorities;
    private volatile Duration life = Duration.ofDays(30);
    private volatile String networks = "\"192.0.2.10/32\"";
    private volatile String leftOut = "";
    private volatile String orderKey = "";
    private volatile String revoked = "";
    private volatile Refusal refusal;
    private volatile Refusal refusalOfBatches;
    private volatile Loss loss = Loss.NONE;
    private volatile boolean oneUse;
    private volatile String usedBy;
    private HttpsServer server;

    /** Starts a central service at a free port of loopback. */
    public EnrollingCentre(TestAuthority authority, Clock clock) throws IOException {
        this.clock = clock;
        this.authority = authority;
        this.authorities = List.of(authority.certificate());
        this.chain = List.of(
                authority.server(keys.getPublic(), "127.0.0.1", "localhost"),
                authority.certificate());
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        address = server.getAddress();
        start();
    }

    private void start() {
        server.setExecutor(threads);
        server.setHttpsConfigurator(new HttpsConfigurator(context()) {
            @Override
            public void configure(HttpsParameters parameters) {
                SSLParameters tls = getSSLContext().getDefaultSSLParameters();
                tls.setWantClientAuth(true);
                parameters.setSSLParameters(tls);
            }
        });
        server.createContext("/api/v1/enrolments", this::enrol);
        server.createContext("/api/v1/parts/renewal", this::renew);
        server.createContext("/api/v1/ingest", this::ingest);
        server.createContext("/api/v1/order-key", this::orderKey);
        server.createContext("/actuator/health", this::health);
        server.start();
    }

    private SSLContext context() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(
                    new KeyManager[] {new ShownChain(keys.getPrivate(), chain)},
                    new TrustManager[] {new AcceptsClients()},
                    null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Shows any chain; a key store accepts only those in which each leads to the next. */
    private static final class ShownChain extends X509ExtendedKeyManager {

        private final PrivateKey key;
        private final List<X509Certificate> chain;

        ShownChain(PrivateKey key, List<X509Certificate> chain) {
            this.key = key;
            this.chain = chain;
        }

        @Override
        public String[] getClientAliases(String type, Principal[] issuers) {
            return new String[0];
        }

        @Override
        public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
            return null;
        }

        @Override
        public String[] getServerAliases(String type, Principal[] issuers) {
            return new String[] {"server"};
        }

        @Override
        public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
            return type.equals("EC") ? "server" : null;
        }

        @Override
        public String chooseEngineServerAlias(String type, Principal[] issuers, SSLEngine engine) {
            return chooseServerAlias(type, issuers, null);
        }

        @Override
        public X509Certificate[] getCertificateChain(String alias) {
            return chain.toArray(X509Certificate[]::new);
        }

        @Override
        public PrivateKey getPrivateKey(String alias) {
            return key;
        }
    }

    /** The real service also decides about certificates after the handshake. */
    private static final class AcceptsClients implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    /** Ends the server. {@link #restart} starts it at the same port, with the chain of then. */
    public void stop() {
        server.stop(0);
    }

    /** Starts the server again. */
    public void restart() throws IOException {
        server = HttpsServer.create(address, 0);
        start();
    }

    /** Sets the certificates that the server shows after the next {@link #restart}. */
    public void shows(List<X509Certificate> certificates) {
        chain = List.copyOf(certificates);
    }

    /** Returns the public key of the server, for {@link #shows}. */
    public PublicKey key() {
        return keys.getPublic();
    }

    /**
     * Issues certificates of another authority from now on, and names it in responses; the server's
     * own chain stays.
     *
     * @param trusted authorities in responses
     */
    public void issuesBy(TestAuthority newer, List<X509Certificate> trusted) {
        authority = newer;
        authorities = List.copyOf(trusted);
    }

    /** Sets the life of certificates. */
    public void life(Duration time) {
        life = time;
    }

    /** Sets the addresses of responses. */
    public void addresses(String allowed, String other) {
        networks = "\"" + allowed + "\"";
        leftOut = "\"" + other + "\"";
    }

    /** Names revoked parts in each response to a batch from now on. */
    public void revokes(String... ids) {
        revoked = ",\"revoked\":[\"" + String.join("\",\"", ids) + "\"]";
    }

    /** Sets the key of orders. */
    public void orderKey(String text) {
        orderKey = text;
    }

    /**
     * Refuses enrolments and renewals from now on.
     *
     * @param problem null: accepts them again
     */
    public void refuses(int status, String problem, String detail) {
        refusal = problem == null ? null : new Refusal(status, problem, detail, null);
    }

    /** Refuses enrolments and renewals with a wait. */
    public void refusesFor(int status, String seconds) {
        refusal = new Refusal(status, "busy", "Later", seconds);
    }

    /** Loses responses to enrolments from now on, after the certificate was issued. */
    public void loses(Loss part) {
        loss = part;
    }

    /** Makes the code one for one part: it enrols the key that comes first, also again. */
    public void codeIsForOnePart() {
        oneUse = true;
    }

    /**
     * Refuses batches from now on.
     *
     * @param problem null: accepts them again
     */
    public void refusesBatches(int status, String problem, String detail) {
        refusalOfBatches = problem == null ? null : new Refusal(status, problem, detail, null);
    }

    /** Returns the address, with a literal address as host. */
    public URI uri() {
        return URI.create("https://127.0.0.1:" + address.getPort());
    }

    /** Returns a code with the fingerprint of the authority. */
    public String code() {
        return code(authority.certificate());
    }

    /** Returns a code with the fingerprint of a certificate. */
    public String code(X509Certificate pinned) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(pinned.getEncoded());
            return uri() + "#" + SECRET + "."
                    + Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the requests to a path. */
    public List<Request> requests(String path) {
        return requests.stream().filter(one -> one.path().equals(path)).toList();
    }

    private Request received(HttpExchange exchange) throws IOException {
        X509Certificate certificate = null;
        try {
            certificate = (X509Certificate)
                    ((HttpsExchange) exchange).getSSLSession().getPeerCertificates()[0];
        } catch (SSLPeerUnverifiedException e) {
            // A client without a certificate.
        }
        Request request = new Request(
                exchange.getRequestURI().getPath(),
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1),
                exchange.getRequestHeaders().getFirst("Authorization"),
                certificate,
                exchange.getRemoteAddress());
        requests.add(request);
        return request;
    }

    private void enrol(HttpExchange exchange) throws IOException {
        try (exchange) {
            Request request = received(exchange);
            if (refused(exchange, refusal)) {
                return;
            }
            if (!SECRET.equals(request.text("secret"))) {
                refuse(exchange, new Refusal(403, "enrolment-code-unknown", "No such code", null));
                return;
            }
            String key = request.text("publicKey");
            if (oneUse && usedBy != null && !usedBy.equals(key)) {
                refuse(exchange, new Refusal(403, "enrolment-code-used", "Used once", null));
                return;
            }
            usedBy = key;
            issue(
                    exchange,
                    request,
                    201,
                    request.text("kind"),
                    request.text("source"),
                    request.text("node"),
                    "komainu-enrolment\n" + SECRET + "\n" + request.text("source"));
        }
    }

    private void renew(HttpExchange exchange) throws IOException {
        try (exchange) {
            Request request = received(exchange);
            if (refused(exchange, refusal)) {
                return;
            }
            CertificateNames names = request.certificate() == null
                    ? null
                    : CertificateNames.of(request.certificate()).orElse(null);
            if (names == null || !names.part().equals(parts.get(names.source()))) {
                refuse(exchange, new Refusal(401, "certificate-unknown", "Not issued here", null));
                return;
            }
            issue(
                    exchange,
                    request,
                    200,
                    names.kind(),
                    names.source(),
                    names.node(),
                    "komainu-renewal\n" + names.part());
        }
    }

    /** Returns the id of an enrolled part. */
    public String part(String source) {
        return parts.get(source);
    }

    /** Knows the parts that another central service has enrolled, as two of one installation do. */
    public void knows(EnrollingCentre other) {
        parts.putAll(other.parts);
    }

    private synchronized String partOf(String source) {
        return parts.computeIfAbsent(
                source,
                another -> parts.isEmpty()
                        ? PART
                        : UUID.nameUUIDFromBytes(another.getBytes(StandardCharsets.UTF_8))
                                .toString());
    }

    private void issue(
            HttpExchange exchange,
            Request request,
            int status,
            String kind,
            String source,
            String node,
            String signed)
            throws IOException {
        try {
            String keyText = request.text("publicKey");
            PublicKey key = KeyFactory.getInstance("EC")
                    .generatePublic(new X509EncodedKeySpec(Base64.getDecoder().decode(keyText)));
            Signature proof = Signature.getInstance("SHA256withECDSA");
            proof.initVerify(key);
            proof.update((signed + "\n" + keyText).getBytes(StandardCharsets.UTF_8));
            if (!proof.verify(Base64.getDecoder().decode(request.text("proof")))) {
                refuse(exchange, new Refusal(400, "proof-wrong", "Not signed by the key", null));
                return;
            }
            Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
            String part = partOf(source);
            X509Certificate issued = authority.part(
                    key, part, kind, source, node, now.minus(EARLIER), now.plus(life));
            answer(
                    exchange,
                    status,
                    String.format(
                            Locale.ROOT,
                            "{\"part\":\"%s\",\"kind\":\"%s\",\"source\":\"%s\",\"node\":\"%s\","
                                    + "\"networks\":[%s],\"leftOut\":[%s],\"certificate\":\"%s\","
                                    + "\"authorities\":\"%s\",\"publicAuthorities\":false,"
                                    + "\"ends\":\"%s\",\"time\":\"%s\"}",
                            part,
                            kind,
                            source,
                            node,
                            networks,
                            leftOut,
                            inJson(List.of(issued)),
                            inJson(authorities),
                            now.plus(life),
                            now));
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private void answer(HttpExchange exchange, int status, String body) throws IOException {
        Loss lost = exchange.getRequestURI().getPath().endsWith("/enrolments") ? loss : Loss.NONE;
        switch (lost) {
            case NONE -> respond(exchange, status, "application/json", body);
            case SECOND_HALF -> {
                byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(status, bytes.length);
                exchange.getResponseBody().write(bytes, 0, bytes.length / 2);
                exchange.getResponseBody().flush();
            }
            case ALL -> {
                // The exchange is closed without a response.
            }
        }
    }

    private static String inJson(List<X509Certificate> certificates) {
        return TestAuthority.pem(certificates).replace("\n", "\\n");
    }

    private void ingest(HttpExchange exchange) throws IOException {
        try (exchange) {
            received(exchange);
            if (!refused(exchange, refusalOfBatches)) {
                respond(
                        exchange,
                        200,
                        "application/json",
                        "{\"batch\":\"a/1/1\",\"records\":1,\"duplicate\":false" + revoked + "}");
            }
        }
    }

    private void orderKey(HttpExchange exchange) throws IOException {
        try (exchange) {
            received(exchange);
            respond(
                    exchange,
                    200,
                    "application/json",
                    "{\"key\":\"" + orderKey + "\",\"command\":\"\"}");
        }
    }

    /** The server itself adds the field Date, by the clock of this machine. */
    private void health(HttpExchange exchange) throws IOException {
        try (exchange) {
            received(exchange);
            exchange.sendResponseHeaders(200, -1);
        }
    }

    private static boolean refused(HttpExchange exchange, Refusal now) throws IOException {
        if (now == null) {
            return false;
        }
        refuse(exchange, now);
        return true;
    }

    private static void refuse(HttpExchange exchange, Refusal now) throws IOException {
        if (now.retryAfter() != null) {
            exchange.getResponseHeaders().add("Retry-After", now.retryAfter());
        }
        respond(
                exchange,
                now.status(),
                "application/problem+json",
                "{\"type\":\"urn:komainu:problem:" + now.problem() + "\",\"title\":\"Refused\","
                        + "\"status\":" + now.status() + ",\"detail\":\"" + now.detail() + "\"}");
    }

    private static void respond(HttpExchange exchange, int status, String type, String body)
            throws IOException {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().add("Content-Type", type);
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
