package dev.komainu.central;

import dev.komainu.telemetry.record.TelemetryRecord;
import dev.komainu.telemetry.wire.RecordJson;
import java.io.ByteArrayInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** A part as seen from the network: its key, its certificate, and requests with it by the JDK. */
final class PartClient {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final int port;
    private final String authorities;
    private final KeyPair keys;
    private final @Nullable String chain;
    private final @Nullable String token;

    private PartClient(
            int port,
            String authorities,
            KeyPair keys,
            @Nullable String chain,
            @Nullable String token) {
        this.port = port;
        this.authorities = authorities;
        this.keys = keys;
        this.chain = chain;
        this.token = token;
    }

    /** Creates a part without a certificate. */
    static PartClient without(int port, String authorities) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return new PartClient(port, authorities, generator.generateKeyPair(), null, null);
    }

    /** Returns this part with the certificate of a response. */
    PartClient with(JsonNode identity) {
        return new PartClient(
                port,
                identity.get("authorities").asString(),
                keys,
                identity.get("certificate").asString(),
                null);
    }

    /** Returns this part with a chain of certificates of its key, in PEM. */
    PartClient withChain(String pem) {
        return new PartClient(port, authorities, keys, pem, null);
    }

    /** Returns a client with a token in place of a certificate. */
    PartClient withToken(String secret) {
        return new PartClient(port, authorities, keys, null, secret);
    }

    /** The response to a request. */
    record Answer(int status, String body) {

        Answer expect(int expected) {
            if (status != expected) {
                throw new AssertionError(status + " (expected: " + expected + "): " + body);
            }
            return this;
        }

        JsonNode json() {
            return JSON.readTree(body);
        }

        String problem() {
            return json().path("type").asString("").replace("urn:komainu:problem:", "");
        }
    }

    /** Returns the chain of its certificate, in PEM. */
    String chain() {
        return Objects.requireNonNull(chain);
    }

    PublicKey key() {
        return keys.getPublic();
    }

    String publicKey() {
        return Base64.getEncoder().encodeToString(keys.getPublic().getEncoded());
    }

    String signed(String text) throws Exception {
        Signature signature = Signature.getInstance("SHA256withECDSA");
        signature.initSign(keys.getPrivate());
        signature.update(text.getBytes(StandardCharsets.UTF_8));
        return Base64.getEncoder().encodeToString(signature.sign());
    }

    /** Returns the fields of an enrolment with a right proof. */
    Map<String, Object> application(String secret, String kind, String source, String node)
            throws Exception {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("secret", secret);
        fields.put("kind", kind);
        fields.put("source", source);
        fields.put("node", node);
        fields.put("addresses", List.of());
        fields.put("publicKey", publicKey());
        fields.put(
                "proof",
                signed("komainu-enrolment\n" + secret + "\n" + source + "\n" + publicKey()));
        return fields;
    }

    Answer enrol(Map<String, Object> application) throws Exception {
        return post("/api/v1/enrolments", "application/json", JSON.writeValueAsString(application));
    }

    /** Asks with this part's certificate for one of the next part's key. */
    Answer renew(String id, PartClient next) throws Exception {
        return post(
                "/api/v1/parts/renewal",
                "application/json",
                JSON.writeValueAsString(Map.of(
                        "publicKey",
                        next.publicKey(),
                        "proof",
                        next.signed("komainu-renewal\n" + id + "\n" + next.publicKey()))));
    }

    Answer sight(String source, int sequence, String node) throws Exception {
        return post(
                "/api/v1/ingest",
                "application/x-ndjson",
                """
                {"type":"serviceSighting","service":"%1$s:80","node":"%1$s","name":"nginx :80","kind":"nginx","addresses":["192.0.2.3:80"],"settings":[],"atMicros":%2$d}
                """.replace("%1$s", node)
                        .replace("%2$d", Long.toString(System.currentTimeMillis() * 1_000)),
                "Komainu-Batch",
                source + "/7/" + sequence);
    }

    /**
     * Sends records.
     *
     * @param batch name of the batch: source, start of the run and sequence
     */
    Answer report(String batch, TelemetryRecord... records) throws Exception {
        return report(Map.of("Komainu-Batch", batch), records);
    }

    /** Sends records with these header fields. */
    Answer report(Map<String, String> fields, TelemetryRecord... records) throws Exception {
        StringBuilder lines = new StringBuilder();
        for (TelemetryRecord record : records) {
            lines.append(RecordJson.write(record)).append('\n');
        }
        return post(
                "/api/v1/ingest",
                "application/x-ndjson",
                lines.toString(),
                fields.entrySet().stream()
                        .flatMap(field -> Stream.of(field.getKey(), field.getValue()))
                        .toArray(String[]::new));
    }

    Answer get(String path) throws Exception {
        return send(request(path).GET());
    }

    private Answer post(String path, String type, String body, String... headers) throws Exception {
        HttpRequest.Builder request = request(path)
                .header("Content-Type", type)
                .POST(HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return send(request);
    }

    private HttpRequest.Builder request(String path) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("https://localhost:" + port + path))
                .timeout(Duration.ofSeconds(20));
        return token == null ? request : request.header("Authorization", "Bearer " + token);
    }

    private Answer send(HttpRequest.Builder request) throws Exception {
        try (HttpClient client = HttpClient.newBuilder().sslContext(context()).build()) {
            HttpResponse<String> response =
                    client.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.body());
        }
    }

    static List<X509Certificate> certificates(String pem) throws Exception {
        return CertificateFactory.getInstance("X.509")
                .generateCertificates(
                        new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)))
                .stream()
                .map(X509Certificate.class::cast)
                .toList();
    }

    private SSLContext context() throws Exception {
        KeyStore own = KeyStore.getInstance("PKCS12");
        own.load(null, null);
        if (chain != null) {
            own.setKeyEntry(
                    "own",
                    keys.getPrivate(),
                    new char[0],
                    certificates(chain).toArray(Certificate[]::new));
        }
        KeyManagerFactory keyManagers = KeyManagerFactory.getInstance("PKIX");
        keyManagers.init(own, new char[0]);
        KeyStore anchors = KeyStore.getInstance("PKCS12");
        anchors.load(null, null);
        int number = 0;
        for (X509Certificate each : certificates(authorities)) {
            anchors.setCertificateEntry("authority-" + number++, each);
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(anchors);
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(keyManagers.getKeyManagers(), trust.getTrustManagers(), null);
        return context;
    }
}
