package dev.komainu.central.api.access;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.access.ApiToken;
import dev.komainu.central.access.ApiTokens;
import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.User;
import dev.komainu.central.access.Users;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The user accounts. */
@RestController
class UserController {

    private static final String ROLES = "viewer, operator or administrator";

    private final Users users;
    private final ApiTokens tokens;
    private final Audit audit;
    private final PasswordChecks checks;

    UserController(Users users, ApiTokens tokens, Audit audit, PasswordChecks checks) {
        this.users = users;
        this.tokens = tokens;
        this.audit = audit;
        this.checks = checks;
    }

    record NewUser(
            @Nullable String name,
            @Nullable String role,
            @Nullable String group) {}

    record CreatedUser(UserView user, String oneTimePassword) {}

    /**
     * The body of an update.
     *
     * @param group empty: the user is bound to no group; absent: unchanged
     */
    record UserUpdate(
            @Nullable String role,
            @Nullable Boolean resetPassword,
            @Nullable String group) {}

    /** A user after an update, with the new one-time password if one was requested. */
    record UpdatedUser(
            String name,
            String role,
            java.time.@Nullable Instant lastLogin,
            @Nullable String group,
            boolean secondFactor,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String oneTimePassword) {}

    @GetMapping("/api/v1/users")
    List<UserView> list() {
        return users.list().stream().map(UserView::of).toList();
    }

    @PostMapping("/api/v1/users")
    @ResponseStatus(HttpStatus.CREATED)
    CreatedUser create(@AuthenticationPrincipal Caller caller, @RequestBody NewUser request) {
        String name = Objects.requireNonNullElse(request.name(), "");
        Optional<Role> role = Role.of(Objects.requireNonNullElse(request.role(), ""));
        new BodyChecks()
                .that(name.matches(Users.NAME), "name", request.name(), Users.NAME)
                .that(role.isPresent(), "role", request.role(), ROLES)
                .that(
                        GroupBinding.mayBind(request.group(), role.orElse(Role.VIEWER)),
                        "group",
                        request.group(),
                        GroupBinding.FOR_USERS)
                .orRefuse();
        checks.requireConfirmed(caller);
        Users.Created created = users.create(
                        name, role.orElseThrow(), GroupBinding.canonical(request.group()))
                .orElseThrow(() -> new ProblemException(Problem.conflict(
                        "name-taken",
                        "name: " + name + " (expected: a name that does not exist yet)")));
        audit.done(
                caller,
                "user.create",
                name,
                null,
                GroupBinding.text(created.user().role(), created.user().group()));
        return new CreatedUser(UserView.of(created.user()), created.oneTimePassword());
    }

    @PatchMapping("/api/v1/users/{name}")
    UpdatedUser update(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String name,
            @RequestBody UserUpdate update) {
        if (update.role() != null
                || update.group() != null
                || Boolean.TRUE.equals(update.resetPassword())) {
            checks.requireConfirmed(caller);
        }
        List<ApiToken> owned = tokens.ownedBy(name);
        User before = users.find(name).orElseThrow(ProblemException.notFound("user", name));
        if (before.external()) {
            throw PasswordChecks.externalUser(name);
        }
        Role role = update.role() == null
                ? before.role()
                : Role.of(update.role())
                        .orElseThrow(
                                () -> ProblemException.invalidField("role", update.role(), ROLES));
        String group =
                update.group() == null ? before.group() : GroupBinding.canonical(update.group());
        new BodyChecks()
                .that(GroupBinding.mayBind(group, role), "group", group, GroupBinding.FOR_USERS)
                .orRefuse();
        if (update.role() != null) {
            refuseUnlessDone(users.changeRole(name, role), name);
            audit.done(caller, "user.role", name, before.role().text(), role.text());
        }
        if (!Objects.equals(group, before.group())) {
            // Sessions and tokens end: they may have rights that the user loses by it.
            users.bind(name, group);
            audit.done(
                    caller,
                    "user.group",
                    name,
                    GroupBinding.text(role, before.group()),
                    GroupBinding.text(role, group));
        }
        String password = null;
        if (Boolean.TRUE.equals(update.resetPassword())) {
            password =
                    users.resetPassword(name).orElseThrow(ProblemException.notFound("user", name));
            audit.done(caller, "user.password-reset", name);
        }
        tellRevoked(caller, name, owned);
        User after = users.find(name).orElseThrow(ProblemException.notFound("user", name));
        return new UpdatedUser(
                after.name(),
                after.role().text(),
                after.lastLogin(),
                after.group(),
                after.secondFactor(),
                password);
    }

    @DeleteMapping("/api/v1/users/{name}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void delete(@AuthenticationPrincipal Caller caller, @PathVariable String name) {
        checks.requireConfirmed(caller);
        List<ApiToken> owned = tokens.ownedBy(name);
        Optional<User> before = users.find(name);
        refuseUnlessDone(users.delete(name), name);
        audit.done(
                caller,
                "user.delete",
                name,
                before.map(user -> user.role().text()).orElse(null),
                null);
        tellRevoked(caller, name, owned);
    }

    /**
     * Writes the tokens that their owner's deletion, demotion or reset revoked to the audit log.
     */
    private void tellRevoked(Caller caller, String owner, List<ApiToken> before) {
        List<ApiToken> left = tokens.ownedBy(owner);
        for (ApiToken token : before) {
            if (left.stream().noneMatch(each -> each.id().equals(token.id()))) {
                String text = TokenController.auditText(TokenController.TokenView.of(token));
                audit.done(caller, "token.revoke", token.id(), text, "revoked with " + owner);
            }
        }
    }

    private static void refuseUnlessDone(Users.Outcome outcome, String name) {
        switch (outcome) {
            case DONE -> {}
            case ABSENT -> throw new ProblemException(Problem.notFound("user", name));
            case LAST_ADMINISTRATOR ->
                throw new ProblemException(
                        Problem.conflict(
                                "last-administrator",
                                "user: " + name
                                        + " (the last administrator; expected: create another administrator first)"));
        }
    }
}
