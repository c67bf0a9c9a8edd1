package dev.komainu.central.api.guard;

import dev.komainu.central.access.ApiTokens;
import dev.komainu.central.access.Caller;
import dev.komainu.central.access.Scope;
import dev.komainu.central.access.Session;
import dev.komainu.central.access.Sessions;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** The repeated authentication of a caller whose response lasts long. Any thread. */
@Component
public class CallerRecheck {

    private static final String BEARER = "Bearer ";

    private final ApiTokens tokens;
    private final Sessions sessions;

    public CallerRecheck(ApiTokens tokens, Sessions sessions) {
        this.tokens = tokens;
        this.sessions = sessions;
    }

    /**
     * Reports whether a caller still has a right: its session is open, or its token is neither
     * revoked nor expired and has the scope. A part has no right that such a response needs.
     *
     * @param authorization the request's header of this name; absent for a session
     */
    public boolean stillAllowed(Caller caller, @Nullable String authorization, Scope scope) {
        Session session = caller.session();
        if (session != null) {
            return sessions.runs(session);
        }
        return authorization != null
                && authorization.length() > BEARER.length()
                && tokens.find(authorization.substring(BEARER.length()).strip())
                        .filter(token -> token.scopes().contains(scope))
                        .isPresent();
    }
}
