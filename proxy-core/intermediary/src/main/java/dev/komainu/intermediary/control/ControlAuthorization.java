package dev.komainu.intermediary.control;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Who may do what at the control endpoint. */
public final class ControlAuthorization {

    private final InetSocketAddress listener;
    private volatile Rule rule;

    private record Rule(@Nullable TokenFile tokens, boolean readsNeedToken) {}

    /** @param readToken reads need a token even on loopback */
    public ControlAuthorization(
            InetSocketAddress listener, @Nullable TokenFile tokens, boolean readToken) {
        this.listener = listener;
        this.rule = rule(tokens, readToken);
    }

    private Rule rule(@Nullable TokenFile tokens, boolean readToken) {
        return new Rule(tokens, readToken || !listener.getAddress().isLoopbackAddress());
    }

    /** Other tokens from now on. Any thread. */
    public void reload(@Nullable TokenFile tokens, boolean readToken) {
        rule = rule(tokens, readToken);
    }

    /** DNS rebinding: a browser that was led here by a name sends that name. */
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

    /** Answers the request itself when it may not go on. */
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
                            ? "Reads need a token here, and no control.token-file is set"
                            : "Writes are off: no control.token-file is set");
            return false;
        }
        Headers headers = exchange.getRequestHeaders();
        String given = headers.getFirst("Authorization");
        Set<ControlScope> scopes = given != null && given.regionMatches(true, 0, "Bearer ", 0, 7)
                ? known.scopes(given.substring(7).strip())
                : null;
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
