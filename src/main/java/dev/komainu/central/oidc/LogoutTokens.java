package dev.komainu.central.oidc;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.oauth2.client.oidc.authentication.OidcIdTokenDecoderFactory;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.OAuth2TokenValidatorResult;
import org.springframework.security.oauth2.core.converter.ClaimTypeConverter;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;

/**
 * The check of the provider's logout tokens (OpenID Connect Back-Channel Logout 1.0, section 2.6).
 * Spring Security has the same check, but only inside its own filter. A token is accepted until ten
 * minutes after its making, so that its id must be remembered no longer. Any thread.
 */
final class LogoutTokens {

    static final int MOST_CHARS = 16 << 10;
    static final Duration LIFE = Duration.ofMinutes(10);
    private static final String EVENT = "http://schemas.openid.net/event/backchannel-logout";
    private static final int MOST_ID_CHARS = 255;

    private final NimbusJwtDecoder decoder;
    private final String issuer;
    private final String clientId;
    private final Clock clock;

    LogoutTokens(NimbusJwtDecoder decoder, ClientRegistration registration, Clock clock) {
        this.decoder = decoder;
        this.issuer = String.valueOf(registration.getProviderDetails().getIssuerUri());
        this.clientId = registration.getClientId();
        this.clock = clock;
        // The default converter invents a time of issue where the token has none.
        decoder.setClaimSetConverter(new ClaimTypeConverter(
                OidcIdTokenDecoderFactory.createDefaultClaimTypeConverters()));
        decoder.setJwtValidator(token -> {
            String fault = fault(token);
            return fault == null
                    ? OAuth2TokenValidatorResult.success()
                    : OAuth2TokenValidatorResult.failure(
                            new OAuth2Error("invalid_request", fault, null));
        });
    }

    /**
     * Checks a token and returns its contents.
     *
     * @throws JwtException when it is not a logout token of this provider for this service
     */
    LogoutNotice check(String token) {
        if (token.length() > MOST_CHARS) {
            throw new JwtException("longer than " + MOST_CHARS + " characters");
        }
        Jwt jwt = decoder.decode(token);
        Instant until = clock.instant().plus(LIFE).plus(OpenIdProvider.CLOCK_SKEW.multipliedBy(2));
        return new LogoutNotice(
                issuer,
                jwt.getSubject(),
                jwt.getClaimAsString("sid"),
                String.valueOf(jwt.getId()),
                until);
    }

    /** Returns what is wrong with the claims; null when they are right. */
    private @Nullable String fault(Jwt token) {
        Instant now = clock.instant();
        Instant issued = token.getIssuedAt();
        Instant expires = token.getExpiresAt();
        List<String> audience = token.getAudience();
        if (!issuer.equals(token.getClaimAsString("iss"))) {
            return "iss";
        }
        if (audience == null || !audience.contains(clientId)) {
            return "aud";
        }
        if (issued == null
                || issued.isAfter(now.plus(OpenIdProvider.CLOCK_SKEW))
                || issued.isBefore(now.minus(LIFE).minus(OpenIdProvider.CLOCK_SKEW))) {
            return "iat";
        }
        if (expires != null && !expires.isAfter(now.minus(OpenIdProvider.CLOCK_SKEW))) {
            return "exp";
        }
        if (!isId(token.getId())) {
            return "jti";
        }
        if (!(token.getClaims().get("events") instanceof Map<?, ?> events)
                || !(events.get(EVENT) instanceof Map<?, ?>)) {
            return "events";
        }
        if (token.getClaims().containsKey("nonce")) {
            return "nonce";
        }
        Object sid = token.getClaims().get("sid");
        boolean names = token.getSubject() != null || sid != null;
        return names
                        && (token.getSubject() == null || isId(token.getSubject()))
                        && (sid == null || (sid instanceof String text && isId(text)))
                ? null
                : "sub, sid";
    }

    private static boolean isId(@Nullable String text) {
        return text != null && !text.isEmpty() && text.length() <= MOST_ID_CHARS;
    }
}
