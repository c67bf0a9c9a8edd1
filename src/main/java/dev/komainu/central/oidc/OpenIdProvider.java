package dev.komainu.central.oidc;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import java.net.MalformedURLException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.security.oauth2.client.oidc.authentication.OidcIdTokenDecoderFactory;
import org.springframework.security.oauth2.client.oidc.authentication.OidcIdTokenValidator;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.core.converter.ClaimTypeConverter;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;

/**
 * The provider as its configuration describes it: addresses, and the decoders of its tokens. Any
 * thread.
 *
 * <p>Signatures are checked with the provider's keys only, and only by algorithms with a public
 * key: neither {@code none} nor a signature made with a shared secret is accepted. The keys are
 * kept for five minutes. A token with an unknown key makes them be read again, at most twice in 30
 * seconds, so that strangers' tokens cannot make this service a burden for the provider.
 */
final class OpenIdProvider {

    /** Tolerance for the provider's clock. */
    static final Duration CLOCK_SKEW = Duration.ofSeconds(60);

    static final Duration KEYS_KEPT = Duration.ofMinutes(5);
    static final Duration KEYS_AGAIN = Duration.ofSeconds(30);
    private static final Duration KEYS_PATIENCE = Duration.ofSeconds(10);

    private static final Set<JWSAlgorithm> ALGORITHMS = Set.of(
            JWSAlgorithm.RS256,
            JWSAlgorithm.RS384,
            JWSAlgorithm.RS512,
            JWSAlgorithm.PS256,
            JWSAlgorithm.PS384,
            JWSAlgorithm.PS512,
            JWSAlgorithm.ES256,
            JWSAlgorithm.ES384,
            JWSAlgorithm.ES512);

    private final ClientRegistration registration;
    private final @Nullable URI endSession;
    private final String contents;
    private final JwtDecoder idTokens;
    private final LogoutTokens logoutTokens;

    /**
     * Creates a provider.
     *
     * @param endSession address at which browsers end their session at the provider; absent: it has
     *     none
     * @param contents all that the registration was made from
     * @throws MalformedURLException when the address of the keys is none
     */
    OpenIdProvider(
            ClientRegistration registration,
            @Nullable URI endSession,
            String contents,
            ProviderConnection connection,
            Clock clock)
            throws MalformedURLException {
        this.registration = registration;
        this.endSession = endSession;
        this.contents = contents;
        JWKSource<SecurityContext> keys = JWKSourceBuilder.create(
                        URI.create(String.valueOf(
                                        registration.getProviderDetails().getJwkSetUri()))
                                .toURL(),
                        connection)
                .cache(KEYS_KEPT.toMillis(), KEYS_PATIENCE.toMillis())
                .refreshAheadCache(false)
                .rateLimited(KEYS_AGAIN.toMillis())
                .build();
        this.idTokens = idTokens(registration, keys, clock);
        this.logoutTokens = new LogoutTokens(
                new NimbusJwtDecoder(processor(
                        keys, new JOSEObjectType("logout+jwt"), JOSEObjectType.JWT, null)),
                registration,
                clock);
    }

    private static JwtDecoder idTokens(
            ClientRegistration registration, JWKSource<SecurityContext> keys, Clock clock) {
        OidcIdTokenValidator validator = new OidcIdTokenValidator(registration);
        validator.setClockSkew(CLOCK_SKEW);
        validator.setClock(clock);
        NimbusJwtDecoder decoder = new NimbusJwtDecoder(processor(keys, JOSEObjectType.JWT, null));
        decoder.setClaimSetConverter(new ClaimTypeConverter(
                OidcIdTokenDecoderFactory.createDefaultClaimTypeConverters()));
        decoder.setJwtValidator(validator);
        return decoder;
    }

    private static DefaultJWTProcessor<SecurityContext> processor(
            JWKSource<SecurityContext> keys, @Nullable JOSEObjectType... types) {
        DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
        processor.setJWSKeySelector(new JWSVerificationKeySelector<>(ALGORITHMS, keys));
        processor.setJWSTypeVerifier(new DefaultJOSEObjectTypeVerifier<>(types));
        // The claims are checked by Spring Security's validators, with this service's clock.
        processor.setJWTClaimsSetVerifier((claims, context) -> {});
        return processor;
    }

    boolean isMadeFrom(String text) {
        return contents.equals(text);
    }

    ClientRegistration registration() {
        return registration;
    }

    /** Returns the decoder of ID tokens, which checks signature, issuer, audience and times. */
    JwtDecoder idTokens() {
        return idTokens;
    }

    LogoutTokens logoutTokens() {
        return logoutTokens;
    }

    Optional<URI> endSession() {
        return Optional.ofNullable(endSession);
    }
}
