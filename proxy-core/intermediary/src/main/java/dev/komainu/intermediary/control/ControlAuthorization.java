package dev.komainu.intermediary.control;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The authorization of requests to the control endpoint. */
public final class ControlAuthorization {

    private final InetSocketAddress listener;
    private volatile Rule rule;

    private record Rule(@Nullable TokenFile tokens, boolean readsNeedToken) {

        boolean isFree(ControlScope scope) {
            return scope == ControlScope.READ && !readsNeedToken;
        }
    }

    /**
     * Creates an authorization.
     *
     * @param readToken reads need a token even on loopback
     */
    public ControlAuthorization(
            InetSocketAddress listener, @Nullable TokenFile tokens, boolean readToken) {
        this.listener = listener;
        this.rule = rule(tokens, readToken);
    }

    private Rule rule(@Nullable TokenFile tokens, boolean readToken) {
        return new Rule(tokens, readToken || !listener.getAddress().isLoopbackAddress());
    }

    /** Reads the tokens; absent when no token file is set. */
    static @Nullable TokenFile tokens(ControlSettings settings) throws IOException {
        return settings.tokenFile() == null
                ? null
                : new TokenFile(settings.tokenFile(), Instant::now);
    }

    /**
     * Checks that the token file can be used.
     *
     * @throws IOException when it cannot be read or contains an error
     */
    public static void check(ControlSettings settings) throws IOException {
        tokens(settings);
    }

    /**
     * Prepares other tokens.
     *
     * @return an action that puts them in force; thread-safe
     * @throws IOException when the token file cannot be read or contains an error
     */
    Runnable prepare(ControlSettings next) throws IOException {
        TokenFile tokens = tokens(next);
        return () -> rule = rule(tokens, next.readToken());
    }

    /**
     * Reports whether a Host field can be that of a legitimate request. It protects against DNS
     * rebinding: a browser that another site's name led here sends that name.
     */
    public boolean isExpectedHost(@Nullable String host) {
        if (host == null) {
            return false;
        }
        int colon = host.indexOf(':', Math.max(0, host.lastIndexOf(']')));
        String name = colon < 0 ? host : host.substring(0, colon);
        return name.equalsIgnoreCase("localhost")
                || name.startsWith("[")
                || name.matches("[0-9.]+")
                || name.equalsIgnoreCase(listener.getHostString());
    }

    /**
     * Reports whether the token of a request has a scope. Sends no response, so that a page can
     * leave out what the caller may not see.
     */
    public boolean holds(ControlExchange exchange, ControlScope scope) {
        Set<ControlScope> scopes = scopes(rule.tokens(), exchange);
        return scopes != null && scopes.contains(scope);
    }

    /** Reports whether a request is permitted, and sends nothing. */
    public boolean permits(ControlExchange exchange, ControlScope scope) {
        Rule now = rule;
        if (now.isFree(scope)) {
            return true;
        }
        Set<ControlScope> scopes = scopes(now.tokens(), exchange);
        return scopes != null && scopes.contains(scope);
    }

    /** Reports whether a request is permitted. Sends the error response itself when it is not. */
    public boolean admits(ControlExchange exchange, ControlScope scope) {
        Rule now = rule;
        if (now.isFree(scope)) {
            return true;
        }
        TokenFile known = now.tokens();
        if (known == null) {
            ControlResponse.problem(
                    exchange,
                    403,
                    "Forbidden",
                    scope == ControlScope.READ
                            ? "Reads need a token, and no control.token-file is set"
                            : "Writes are disabled: no control.token-file is set");
            return false;
        }
        Set<ControlScope> scopes = scopes(known, exchange);
        if (scopes == null) {
            exchange.setHeader("WWW-Authenticate", "Bearer");
            ControlResponse.problem(
                    exchange, 401, "Unauthorized", "A valid bearer token is expected");
            return false;
        }
        if (!scopes.contains(scope)) {
            String name = scope.name().toLowerCase(Locale.ROOT);
            // RFC 6750 section 3.1.
            exchange.setHeader(
                    "WWW-Authenticate",
                    "Bearer error=\"insufficient_scope\", scope=\"" + name + "\"");
            ControlResponse.problem(
                    exchange, 403, "Forbidden", "This token lacks the scope " + name);
            return false;
        }
        return true;
    }

    /** Returns the scopes of a request's token; absent without a valid one. */
    private static @Nullable Set<ControlScope> scopes(
            @Nullable TokenFile known, ControlExchange exchange) {
        String given = exchange.header("Authorization");
        return known != null && given != null && given.regionMatches(true, 0, "Bearer ", 0, 7)
                ? known.scopes(given.substring(7).strip())
                : null;
    }
}
