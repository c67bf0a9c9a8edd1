package dev.komainu.intermediary.control;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The authorization of requests to the control endpoint. */
public final class ControlAuthorization {

    private final InetSocketAddress listener;
    private volatile Rule rule;

    private record Rule(@Nullable TokenFile tokens, boolean readsNeedToken) {}

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

    /** Replaces the tokens. Any thread. */
    public void reload(@Nullable TokenFile tokens, boolean readToken) {
        rule = rule(tokens, readToken);
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
    public boolean holds(HttpExchange exchange, ControlScope scope) {
        TokenFile known = rule.tokens();
        String given = exchange.getRequestHeaders().getFirst("Authorization");
        Set<ControlScope> scopes = known == null ? null : scopes(known, given);
        return scopes != null && scopes.contains(scope);
    }

    private static @Nullable Set<ControlScope> scopes(TokenFile known, @Nullable String given) {
        return given != null && given.regionMatches(true, 0, "Bearer ", 0, 7)
                ? known.scopes(given.substring(7).strip())
                : null;
    }

    /** Reports whether a request is permitted. Sends the error response itself when it is not. */
    public boolean admits(HttpExchange exchange, ControlScope scope) throws IOException {
        Rule now = rule;
        if (scope == ControlScope.READ && !now.readsNeedToken()) {
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
        Set<ControlScope> scopes =
                scopes(known, exchange.getRequestHeaders().getFirst("Authorization"));
        if (scopes == null) {
            exchange.getResponseHeaders().set("WWW-Authenticate", "Bearer");
            ControlResponse.problem(
                    exchange, 401, "Unauthorized", "A valid bearer token is expected");
            return false;
        }
        if (!scopes.contains(scope)) {
            String name = scope.name().toLowerCase(Locale.ROOT);
            // RFC 6750 section 3.1.
            exchange.getResponseHeaders()
                    .set(
                            "WWW-Authenticate",
                            "Bearer error=\"insufficient_scope\", scope=\"" + name + "\"");
            ControlResponse.problem(
                    exchange, 403, "Forbidden", "This token lacks the scope " + name);
            return false;
        }
        return true;
    }
}
