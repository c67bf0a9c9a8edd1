package dev.komainu.central.oidc;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The login at the provider: authorization code flow with PKCE (OpenID Connect Core 1.0, section
 * 3.1; RFC 7636). Any thread; a call blocks while the provider is asked, at most ten seconds for
 * each of its documents.
 */
public final class OpenIdLogin {

    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final String SAFE_PAGE =
            "/(?!/)(?:[A-Za-z0-9/._,:?=&@~+-]|%[0-9A-Fa-f]{2}){0,500}";
    private static final String FIRST_PAGE = "/overview";
    private static final int MOST_CHARS = 4_000;

    private final OpenIdSettings settings;
    private final ProviderDiscovery discovery;
    private final BegunLogins pending;
    private final CodeExchange exchange;

    /**
     * Creates a login.
     *
     * @throws IOException when a file that the settings name cannot be read; the provider is not
     *     asked yet
     */
    public OpenIdLogin(OpenIdSettings settings, String issuer, Clock clock) throws IOException {
        this.settings = settings;
        // A missing secret must stop the start, not the first login.
        String unused = ProviderDiscovery.secret(settings.clientSecretFile());
        ProviderConnection connection = new ProviderConnection(settings.caFile(), PATIENCE);
        this.discovery = new ProviderDiscovery(settings, issuer, connection, clock);
        this.pending = new BegunLogins(clock);
        this.exchange = new CodeExchange(settings, connection);
    }

    /**
     * The begin of a login.
     *
     * @param address address at the provider to which the browser goes
     * @param cookie value that the browser must send with the provider's answer
     * @param life time within which the provider must have answered
     */
    public record Begun(URI address, String cookie, Duration life) {}

    /**
     * The provider's answer, as the browser brings it.
     *
     * @param code value to exchange for the tokens
     * @param error the provider's error; absent when it sent a code
     * @param issuer the answer's issuer (RFC 9207); absent when the provider sends none
     */
    public record Answer(
            @Nullable String state,
            @Nullable String code,
            @Nullable String error,
            @Nullable String issuer) {}

    /**
     * Begins a login.
     *
     * @param next page of the console to show afterwards
     * @throws ProviderAwayException when the provider's configuration cannot be read
     */
    public Begun begin(@Nullable String next) throws ProviderAwayException {
        String page = next != null && next.matches(SAFE_PAGE) ? next : FIRST_PAGE;
        return begin(pending.begin(page, null));
    }

    /**
     * Begins another login of a session's user, for which the provider must ask for the password or
     * what else it asks for.
     *
     * @throws ProviderAwayException when the provider's configuration cannot be read
     */
    public Begun beginAgain(String sessionKey) throws ProviderAwayException {
        return begin(pending.begin(FIRST_PAGE, sessionKey));
    }

    private Begun begin(BegunLogin login) throws ProviderAwayException {
        OpenIdProvider provider = discovery.reachable();
        return new Begun(
                URI.create(CodeExchange.request(provider, login).getAuthorizationRequestUri()),
                pending.seal(login),
                BegunLogins.LIFE);
    }

    /**
     * Takes the login that an answer belongs to, once.
     *
     * @param cookie value of the browser's cookie
     * @return empty when the answer belongs to no login of this browser
     */
    public Optional<Taken> take(@Nullable String cookie, Answer answer) {
        String state = answer.state();
        return state == null
                ? Optional.empty()
                : pending.take(cookie, state).map(login -> new Taken(login, answer));
    }

    /** A login with its answer, which is not checked yet. */
    public final class Taken {

        private final BegunLogin login;
        private final Answer answer;

        private Taken(BegunLogin login, Answer answer) {
            this.login = login;
            this.answer = answer;
        }

        /** Reports whether a session's user logs in again. */
        public boolean isAgain() {
            return login.sessionKey() != null;
        }

        /**
         * Exchanges the code and checks the tokens.
         *
         * @throws LoginRefusedException with the reason
         */
        public VerifiedLogin verify() throws LoginRefusedException {
            String code = answer.code();
            if (answer.error() != null || code == null || code.length() > MOST_CHARS) {
                throw new LoginRefusedException(LoginRefusal.PROVIDER_REFUSED);
            }
            String from = answer.issuer();
            if (from != null && !from.equals(settings.issuer())) {
                throw new LoginRefusedException(LoginRefusal.TOKEN);
            }
            try {
                return exchange.verify(discovery.get(), login, code);
            } catch (ProviderAwayException e) {
                throw new LoginRefusedException(LoginRefusal.PROVIDER_AWAY);
            }
        }
    }

    /**
     * Checks a logout token of the provider.
     *
     * @return empty when it is not valid
     * @throws ProviderAwayException when the provider's keys cannot be read
     */
    public Optional<LogoutNotice> checkLogout(String token) throws ProviderAwayException {
        return CodeExchange.checkLogout(discovery.get(), token);
    }

    /**
     * Returns the address at which a browser ends its session at the provider, and which sends it
     * back to the console; empty when the provider has none or is away. It contains no ID token, so
     * that none has to be stored; the provider asks the user instead.
     */
    public Optional<URI> logoutAddress() {
        try {
            OpenIdProvider provider = discovery.get();
            return provider.endSession()
                    .map(address -> URI.create(address
                            + (address.getRawQuery() == null ? "?" : "&")
                            + "client_id="
                            + encoded(provider.registration().getClientId())
                            + "&post_logout_redirect_uri="
                            + encoded(settings.address() + "/")));
        } catch (ProviderAwayException e) {
            return Optional.empty();
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
