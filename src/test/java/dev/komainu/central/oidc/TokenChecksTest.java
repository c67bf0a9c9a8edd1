package dev.komainu.central.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.jwt.JwtException;

/**
 * Tests of the checks of ID tokens and logout tokens, with tokens that no right provider makes. The
 * tests with a real provider are in {@link OpenIdLoginTest}.
 */
class TokenChecksTest {

    private static final String ISSUER = "https://provider.example";
    private static final Instant NOW = Instant.parse("2026-11-28T10:00:00Z");
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final String EVENT = "http://schemas.openid.net/event/backchannel-logout";

    private static RSAKey key;
    private static RSAKey foreignKey;

    private Instant now = NOW;
    private final InstantSource source = () -> now;
    private final Clock clock = source.withZone(ZoneOffset.UTC);
    private final AtomicInteger reads = new AtomicInteger();
    private HttpServer server;
    private OpenIdProvider provider;

    @BeforeAll
    static void makeKeys() throws JOSEException {
        key = new RSAKeyGenerator(2048).keyID("one").keyUse(KeyUse.SIGNATURE).generate();
        foreignKey =
                new RSAKeyGenerator(2048).keyID("two").keyUse(KeyUse.SIGNATURE).generate();
    }

    @BeforeEach
    void setUp() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/keys", exchange -> {
            reads.incrementAndGet();
            byte[] keys = new JWKSet(key.toPublicJWK()).toString().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, keys.length);
            exchange.getResponseBody().write(keys);
            exchange.close();
        });
        server.start();
        String address = "http://127.0.0.1:" + server.getAddress().getPort();
        ClientRegistration registration = ClientRegistration.withRegistrationId("provider")
                .clientId("komainu")
                .authorizationGrantType(AuthorizationGrantType.AUTHORIZATION_CODE)
                .redirectUri("http://localhost/callback")
                .scope("openid")
                .authorizationUri(address + "/auth")
                .tokenUri(address + "/token")
                .jwkSetUri(address + "/keys")
                .issuerUri(ISSUER)
                .build();
        provider = new OpenIdProvider(
                registration,
                null,
                "",
                new ProviderConnection(null, Duration.ofSeconds(10)),
                clock);
    }

    @AfterEach
    void tearDown() {
        server.stop(0);
    }

    private static JWTClaimsSet.Builder idClaims() {
        return new JWTClaimsSet.Builder()
                .issuer(ISSUER)
                .subject("ann")
                .audience("komainu")
                .issueTime(Date.from(NOW))
                .expirationTime(Date.from(NOW.plus(MINUTE)));
    }

    private static JWTClaimsSet.Builder logoutClaims() {
        return new JWTClaimsSet.Builder()
                .issuer(ISSUER)
                .subject("ann")
                .audience("komainu")
                .issueTime(Date.from(NOW))
                .expirationTime(Date.from(NOW.plus(MINUTE)))
                .jwtID("token-1")
                .claim("sid", "session-1")
                .claim("events", Map.of(EVENT, Map.of()));
    }

    private static String signed(JWTClaimsSet.Builder claims) throws JOSEException {
        return signed(claims, key, "JWT");
    }

    private static String signed(JWTClaimsSet.Builder claims, RSAKey by, String type)
            throws JOSEException {
        return sign(
                new JWSHeader.Builder(JWSAlgorithm.RS256)
                        .keyID(by.getKeyID())
                        .type(new JOSEObjectType(type))
                        .build(),
                claims,
                new RSASSASigner(by));
    }

    private static String sign(JWSHeader header, JWTClaimsSet.Builder claims, JWSSigner signer)
            throws JOSEException {
        SignedJWT token = new SignedJWT(header, claims.build());
        token.sign(signer);
        return token.serialize();
    }

    @Test
    void idToken_right_isAccepted() throws JOSEException {
        assertThat(provider.idTokens().decode(signed(idClaims())).getSubject()).isEqualTo("ann");
    }

    static Stream<Arguments> wrongIdClaims() {
        return Stream.of(
                wrong("another issuer", claims -> claims.issuer("https://other.example")),
                wrong("no issuer", claims -> claims.issuer(null)),
                wrong("another audience", claims -> claims.audience("other")),
                wrong("no audience", claims -> claims.audience((String) null)),
                wrong(
                        "two audiences without the authorized party",
                        claims -> claims.audience(List.of("komainu", "other"))),
                wrong(
                        "another authorized party",
                        claims ->
                                claims.audience(List.of("komainu", "other")).claim("azp", "other")),
                wrong("no subject", claims -> claims.subject(null)),
                wrong("no expiry", claims -> claims.expirationTime(null)),
                wrong("no time of issue", claims -> claims.issueTime(null)),
                wrong(
                        "expired",
                        claims -> claims.expirationTime(
                                Date.from(NOW.minus(MINUTE).minusSeconds(1)))),
                wrong(
                        "issued in the future",
                        claims -> claims.issueTime(Date.from(NOW.plus(MINUTE).plusSeconds(1)))
                                .expirationTime(Date.from(NOW.plus(MINUTE.multipliedBy(5))))));
    }

    private static Arguments wrong(String what, UnaryOperator<JWTClaimsSet.Builder> change) {
        return Arguments.of(what, change);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongIdClaims")
    void idToken_wrongClaim_isRefused(String what, UnaryOperator<JWTClaimsSet.Builder> change)
            throws JOSEException {
        String token = signed(change.apply(idClaims()));

        assertThatThrownBy(() -> provider.idTokens().decode(token))
                .isInstanceOf(JwtException.class);
    }

    @Test
    void idToken_expiredBySecondsOnly_isAcceptedForTheClocks() throws JOSEException {
        now = NOW.plus(MINUTE).plusSeconds(59);
        assertThat(provider.idTokens().decode(signed(idClaims()))).isNotNull();
    }

    @Test
    void token_withoutSignatureOrBySharedSecretOrForeignKey_isRefused() throws Exception {
        byte[] publicKey = key.toRSAPublicKey().getEncoded();
        JWSHeader hmac =
                new JWSHeader.Builder(JWSAlgorithm.HS256).keyID(key.getKeyID()).build();
        RSAKey posing = new RSAKey.Builder(foreignKey).keyID(key.getKeyID()).build();
        for (JWTClaimsSet.Builder claims : List.of(idClaims(), logoutClaims())) {
            String whole = signed(claims);
            for (String token : List.of(
                    new PlainJWT(claims.build()).serialize(),
                    sign(hmac, claims, new MACSigner(publicKey)),
                    signed(claims, foreignKey, "JWT"),
                    signed(claims, posing, "JWT"),
                    whole.substring(0, whole.lastIndexOf('.') + 1),
                    whole.substring(0, whole.length() - 5) + "AAAAA",
                    "",
                    "a.b.c")) {
                assertThatThrownBy(() -> provider.idTokens().decode(token))
                        .isInstanceOf(JwtException.class);
                assertThatThrownBy(() -> provider.logoutTokens().check(token))
                        .isInstanceOf(JwtException.class);
            }
        }
    }

    @Test
    void unknownKey_manyTokens_readsTheKeysAFewTimesOnly() throws JOSEException {
        String token = signed(logoutClaims(), foreignKey, "logout+jwt");
        for (int i = 0; i < 200; i++) {
            assertThatThrownBy(() -> provider.logoutTokens().check(token))
                    .isInstanceOf(JwtException.class);
        }
        assertThat(reads.get()).isBetween(1, 6); // 2 in 30 s
    }

    @Test
    void logoutToken_right_namesUserAndSession() throws JOSEException {
        for (String type : List.of("logout+jwt", "JWT")) {
            LogoutNotice notice = provider.logoutTokens().check(signed(logoutClaims(), key, type));
            assertThat(notice.issuer()).isEqualTo(ISSUER);
            assertThat(notice.subject()).isEqualTo("ann");
            assertThat(notice.sid()).isEqualTo("session-1");
            assertThat(notice.id()).isEqualTo("token-1");
            assertThat(notice.until()).isAfter(NOW.plus(LogoutTokens.LIFE));
        }
    }

    @Test
    void logoutToken_onlyUserOrOnlySession_isAccepted() throws JOSEException {
        LogoutTokens tokens = provider.logoutTokens();

        assertThat(tokens.check(signed(logoutClaims().claim("sid", null))).sid())
                .isNull();
        assertThat(tokens.check(signed(logoutClaims().subject(null))).subject()).isNull();
    }

    static Stream<Arguments> wrongLogoutClaims() {
        return Stream.of(
                wrong("another issuer", claims -> claims.issuer("https://other.example")),
                wrong("another audience", claims -> claims.audience("other")),
                wrong("no audience", claims -> claims.audience((String) null)),
                wrong("no time of issue", claims -> claims.issueTime(null)),
                wrong(
                        "issued in the future",
                        claims -> claims.issueTime(Date.from(NOW.plus(MINUTE).plusSeconds(1)))),
                wrong(
                        "issued long ago",
                        claims -> claims.issueTime(Date.from(NOW.minus(LogoutTokens.LIFE)
                                        .minus(MINUTE)
                                        .minusSeconds(1)))
                                .expirationTime(Date.from(NOW.plus(Duration.ofDays(1))))),
                wrong(
                        "expired",
                        claims -> claims.expirationTime(
                                Date.from(NOW.minus(MINUTE).minusSeconds(1)))),
                wrong("no id", claims -> claims.jwtID(null)),
                wrong("a long id", claims -> claims.jwtID("x".repeat(256))),
                wrong("no event", claims -> claims.claim("events", Map.of())),
                wrong("no events", claims -> claims.claim("events", null)),
                wrong(
                        "event that is no object",
                        claims -> claims.claim("events", Map.of(EVENT, "yes"))),
                wrong("a nonce", claims -> claims.claim("nonce", "n")),
                wrong(
                        "neither user nor session",
                        claims -> claims.subject(null).claim("sid", null)),
                wrong("a session that is no text", claims -> claims.claim("sid", 7)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongLogoutClaims")
    void logoutToken_wrongClaim_isRefused(String what, UnaryOperator<JWTClaimsSet.Builder> change)
            throws JOSEException {
        String token = signed(change.apply(logoutClaims()));

        assertThatThrownBy(() -> provider.logoutTokens().check(token))
                .isInstanceOf(JwtException.class);
    }

    @Test
    void logoutToken_idTokenInItsPlace_isRefused() throws JOSEException {
        String token = signed(idClaims());

        assertThatThrownBy(() -> provider.logoutTokens().check(token))
                .isInstanceOf(JwtException.class);
    }

    @Test
    void idToken_logoutTokenInItsPlace_isRefused() throws JOSEException {
        String token = signed(logoutClaims(), key, "logout+jwt");

        assertThatThrownBy(() -> provider.idTokens().decode(token))
                .isInstanceOf(JwtException.class);
    }

    @Test
    void check_tokenAboveTheLimit_isRefusedUnread() {
        assertThatThrownBy(() ->
                        provider.logoutTokens().check("a".repeat(LogoutTokens.MOST_CHARS + 1)))
                .hasMessageContaining("longer than");
        assertThat(reads).hasValue(0);
    }
}
