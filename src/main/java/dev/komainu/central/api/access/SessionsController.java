package dev.komainu.central.api.access;

import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.access.Session;
import dev.komainu.central.access.Sessions;
import dev.komainu.central.access.Users;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The lists of open sessions: one's own, and for administrators those of every user. */
@RestController
class SessionsController {

    private final Sessions sessions;
    private final Users users;
    private final Audit audit;

    SessionsController(Sessions sessions, Users users, Audit audit) {
        this.sessions = sessions;
        this.users = users;
        this.audit = audit;
    }

    /**
     * {@code ListedSession} of the contract.
     *
     * @param current whether the request came with this session
     */
    record ListedSession(
            String id,
            Instant created,
            Instant lastSeen,
            @Nullable String address,
            @Nullable String agent,
            boolean current) {}

    @GetMapping("/api/v1/sessions")
    List<ListedSession> own(@AuthenticationPrincipal Caller caller) {
        return list(PasswordChecks.session(caller).user().name(), caller);
    }

    /** Ends all sessions of the caller but this one. */
    @DeleteMapping("/api/v1/sessions")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void endOthers(@AuthenticationPrincipal Caller caller) {
        Session session = PasswordChecks.session(caller);
        int ended = sessions.closeOthers(session);
        audit.done(caller, "session.end", session.user().name(), null, ended + " others");
    }

    @DeleteMapping("/api/v1/sessions/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void end(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
        end(caller, PasswordChecks.session(caller).user().name(), id);
    }

    @GetMapping("/api/v1/users/{name}/sessions")
    List<ListedSession> ofUser(@AuthenticationPrincipal Caller caller, @PathVariable String name) {
        return list(known(name), caller);
    }

    @DeleteMapping("/api/v1/users/{name}/sessions")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void endAll(@AuthenticationPrincipal Caller caller, @PathVariable String name) {
        int ended = sessions.endAll(known(name));
        audit.done(caller, "session.end", name, null, ended + " sessions");
    }

    @DeleteMapping("/api/v1/users/{name}/sessions/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void endOfUser(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String name,
            @PathVariable String id) {
        end(caller, known(name), id);
    }

    private String known(String name) {
        if (users.find(name).isEmpty()) {
            throw new ProblemException(Problem.notFound("user", name));
        }
        return name;
    }

    private List<ListedSession> list(String user, Caller caller) {
        Session mine = caller.session();
        String current = mine == null ? "" : Sessions.id(mine);
        return sessions.list(user).stream()
                .map(each -> new ListedSession(
                        each.id(),
                        each.created(),
                        each.lastUsed(),
                        each.address(),
                        each.agent(),
                        each.id().equals(current)))
                .toList();
    }

    private void end(Caller caller, String user, String id) {
        if (!sessions.end(user, id)) {
            throw new ProblemException(Problem.notFound("session", id));
        }
        audit.done(caller, "session.end", user, null, id);
    }
}
