package dev.komainu.central.oidc;

import dev.komainu.central.access.ExternalIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.converter.FormHttpMessageConverter;
import org.springframework.http.converter.StringHttpMessageConverter;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.oauth2.client.authentication.OAuth2LoginAuthenticationToken;
import org.springframework.security.oauth2.client.endpoint.RestClientAuthorizationCodeTokenResponseClient;
import org.springframework.security.oauth2.client.http.OAuth2ErrorResponseErrorHandler;
import org.springframework.security.oauth2.client.oidc.authentication.OidcAuthorizationCodeAuthenticationProvider;
import org.springframework.security.oauth2.client.oidc.userinfo.OidcUserService;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.client.userinfo.DefaultOAuth2UserService;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.oauth2.core.OAuth2AuthorizationException;
import org.springframework.security.oauth2.core.OAuth2Error;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationExchange;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationRequest;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationResponse;
import org.springframework.security.oauth2.core.endpoint.PkceParameterNames;
import org.springframework.security.oauth2.core.http.converter.OAuth2AccessTokenResponseHttpMessageConverter;
import org.springframework.security.oauth2.core.oidc.endpoint.OidcParameterNames;
import org.springframework.security.oauth2.core.oidc.user.OidcUser;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.JwtValidationException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;

/**
 * The exchange of the provider's code for a checked identity, by Spring Security's provider of the
 * authorization code flow: it asks for the tokens, checks the ID token with its nonce, and reads
 * the user's claims from UserInfo when the ID token lacks name or groups. The tokens are dropped
 * afterwards. Any thread.
 */
final class CodeExchange {

    private static final Logger log = LoggerFactory.getLogger(CodeExchange.class);

    private final OpenIdSettings settings;
    private final RestClientAuthorizationCodeTokenResponseClient tokens;
    private final OidcUserService users;
    private final RoleMapping roles;

    CodeExchange(OpenIdSettings settings, ProviderConnection connection) {
        this.settings = settings;
        this.roles = new RoleMapping(settings.roles());
        RestTemplate forTokens = new RestTemplate(List.of(
                new FormHttpMessageConverter(),
                new StringHttpMessageConverter(),
                new OAuth2AccessTokenResponseHttpMessageConverter()));
        forTokens.setInterceptors(List.of(connection));
        forTokens.setErrorHandler(new OAuth2ErrorResponseErrorHandler());
        this.tokens = new RestClientAuthorizationCodeTokenResponseClient();
        tokens.setRestClient(RestClient.create(forTokens));
        RestTemplate forUsers = new RestTemplate();
        forUsers.setInterceptors(List.of(connection));
        forUsers.setErrorHandler(new OAuth2ErrorResponseErrorHandler());
        DefaultOAuth2UserService attributes = new DefaultOAuth2UserService();
        attributes.setRestOperations(forUsers);
        this.users = new OidcUserService();
        users.setOauth2UserService(attributes);
        users.setRetrieveUserInfo(request -> request.getClientRegistration()
                                .getProviderDetails()
                                .getUserInfoEndpoint()
                                .getUri()
                        != null
                && !ClaimedUser.isComplete(
                        request.getIdToken().getClaims(),
                        settings.nameClaim(),
                        settings.groupsClaim()));
    }

    /** Returns the request to the provider; the same one for the same login. */
    static OAuth2AuthorizationRequest request(OpenIdProvider provider, BegunLogin login) {
        ClientRegistration registration = provider.registration();
        return OAuth2AuthorizationRequest.authorizationCode()
                .authorizationUri(
                        String.valueOf(registration.getProviderDetails().getAuthorizationUri()))
                .clientId(registration.getClientId())
                .redirectUri(registration.getRedirectUri())
                .scopes(registration.getScopes())
                .state(login.state())
                .attributes(attributes -> {
                    attributes.put(OidcParameterNames.NONCE, login.nonce());
                    attributes.put(PkceParameterNames.CODE_VERIFIER, login.verifier());
                })
                .additionalParameters(parameters -> {
                    parameters.put(OidcParameterNames.NONCE, hash(login.nonce()));
                    parameters.put(PkceParameterNames.CODE_CHALLENGE, hash(login.verifier()));
                    parameters.put(PkceParameterNames.CODE_CHALLENGE_METHOD, "S256");
                    if (login.sessionKey() != null) {
                        parameters.put("prompt", "login");
                        parameters.put("max_age", "0");
                    }
                })
                .build();
    }

    /**
     * Exchanges a code and checks the tokens.
     *
     * @throws LoginRefusedException with the reason
     */
    VerifiedLogin verify(OpenIdProvider provider, BegunLogin login, String code)
            throws LoginRefusedException {
        ClientRegistration registration = provider.registration();
        OidcAuthorizationCodeAuthenticationProvider flow =
                new OidcAuthorizationCodeAuthenticationProvider(tokens, users);
        flow.setJwtDecoderFactory(unused -> provider.idTokens());
        OAuth2AuthorizationResponse response = OAuth2AuthorizationResponse.success(code)
                .redirectUri(String.valueOf(registration.getRedirectUri()))
                .state(login.state())
                .build();
        try {
            OAuth2LoginAuthenticationToken exchange = new OAuth2LoginAuthenticationToken(
                    registration,
                    new OAuth2AuthorizationExchange(request(provider, login), response));
            if (flow.authenticate(exchange) instanceof OAuth2LoginAuthenticationToken done
                    && done.getPrincipal() instanceof OidcUser user) {
                return verified(user, login);
            }
            throw new LoginRefusedException(LoginRefusal.TOKEN);
        } catch (AuthenticationException | OAuth2AuthorizationException | JwtException e) {
            throw refused(e);
        }
    }

    private VerifiedLogin verified(OidcUser user, BegunLogin login) {
        ClaimedUser claimed =
                ClaimedUser.of(user.getClaims(), settings.nameClaim(), settings.groupsClaim());
        Instant authenticated = user.getIdToken().getAuthenticatedAt();
        return new VerifiedLogin(
                new ExternalIdentity(
                        String.valueOf(settings.issuer()),
                        String.valueOf(user.getIdToken().getSubject()),
                        claimed.name()),
                roles.of(claimed.groups()),
                sessionId(user.getIdToken().getClaims()),
                login.next(),
                login.sessionKey(),
                authenticated != null
                        && !authenticated.isBefore(login.begun().minus(OpenIdProvider.CLOCK_SKEW)));
    }

    private static @Nullable String sessionId(Map<String, Object> claims) {
        return claims.get("sid") instanceof String text && !text.isEmpty() && text.length() <= 255
                ? text
                : null;
    }

    /** Checks a logout token; empty when it is not valid. */
    static Optional<LogoutNotice> checkLogout(OpenIdProvider provider, String token)
            throws ProviderAwayException {
        try {
            return Optional.of(provider.logoutTokens().check(token));
        } catch (JwtException e) {
            String away = failedCall(e);
            if (away != null) {
                log.warn("Logout token: {}", away);
                throw new ProviderAwayException("the provider's keys cannot be read", e);
            }
            // Anyone can send what is no token; wrong claims can only come from the provider.
            if (e instanceof JwtValidationException wrong) {
                log.warn(
                        "Logout token refused: {}",
                        wrong.getErrors().stream()
                                .map(OAuth2Error::getDescription)
                                .toList());
            }
            return Optional.empty();
        }
    }

    /** Logs the reason, without anything that the provider wrote, and returns the refusal. */
    private static LoginRefusedException refused(RuntimeException e) {
        String away = failedCall(e);
        if (away != null) {
            log.warn("Login at the OpenID provider: {}", away);
            return new LoginRefusedException(LoginRefusal.PROVIDER_AWAY);
        }
        String error = switch (e) {
            case OAuth2AuthenticationException o -> o.getError().getErrorCode();
            case OAuth2AuthorizationException o -> o.getError().getErrorCode();
            default -> e.getClass().getSimpleName();
        };
        log.warn(
                "Login at the OpenID provider refused: {}",
                error.matches("[A-Za-z_]{1,60}") ? error : "(another error)");
        return new LoginRefusedException(LoginRefusal.TOKEN);
    }

    /** Returns the failed call among the causes; null when there is none. */
    private static @Nullable String failedCall(Throwable e) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof IOException) {
                return cause.toString();
            }
        }
        return null;
    }

    /** Returns the SHA-256 of a text in base64url, as PKCE and the nonce want it. */
    private static String hash(String text) {
        try {
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(MessageDigest.getInstance("SHA-256")
                            .digest(text.getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java runtime has SHA-256", e);
        }
    }
}
