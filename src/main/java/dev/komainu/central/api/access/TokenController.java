package dev.komainu.central.api.access;

import dev.komainu.central.access.ApiToken;
import dev.komainu.central.access.ApiTokens;
import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.access.Scope;
import dev.komainu.central.api.problem.BodyChecks;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The API tokens of programs. */
@RestController
class TokenController {

    private static final int DEFAULT_DAYS = 90;
    private static final int MOST_DAYS = 366;
    private static final String SCOPES =
            Arrays.stream(Scope.values()).map(Scope::text).collect(Collectors.joining(", "));

    private final ApiTokens tokens;
    private final Audit audit;

    TokenController(ApiTokens tokens, Audit audit) {
        this.tokens = tokens;
        this.audit = audit;
    }

    record NewToken(
            @Nullable String name,
            @Nullable List<@Nullable String> scopes,
            @Nullable Integer expiresInDays) {}

    record TokenView(
            String id,
            String name,
            List<String> scopes,
            Instant created,
            Instant expires,
            @Nullable Instant lastUsed,
            String createdBy) {

        static TokenView of(ApiToken token) {
            return new TokenView(
                    token.id(),
                    token.name(),
                    token.scopes().stream().map(Scope::text).toList(),
                    token.created(),
                    token.expires(),
                    token.lastUsed(),
                    token.createdBy());
        }
    }

    record CreatedToken(TokenView token, String secret) {}

    @GetMapping("/api/v1/tokens")
    List<TokenView> list() {
        return tokens.list().stream().map(TokenView::of).toList();
    }

    @PostMapping("/api/v1/tokens")
    @ResponseStatus(HttpStatus.CREATED)
    CreatedToken create(@AuthenticationPrincipal Caller caller, @RequestBody NewToken request) {
        List<@Nullable String> texts = Objects.requireNonNullElse(request.scopes(), List.of());
        int days = Objects.requireNonNullElse(request.expiresInDays(), DEFAULT_DAYS);
        BodyChecks checks = new BodyChecks()
                .text("name", request.name(), 64)
                .that(!texts.isEmpty(), "scopes", request.scopes(), "at least one of " + SCOPES)
                .that(days >= 1 && days <= MOST_DAYS, "expiresInDays", days, "1 to " + MOST_DAYS);
        for (int i = 0; i < texts.size(); i++) {
            String text = texts.get(i);
            checks.that(
                    text != null && Scope.of(text).isPresent(),
                    "scopes[" + i + "]",
                    text,
                    "one of " + SCOPES);
        }
        checks.orRefuse();
        ApiTokens.Created created = tokens.create(
                Objects.requireNonNull(request.name()).strip(),
                texts.stream()
                        .flatMap(text -> text == null
                                ? Optional.<Scope>empty().stream()
                                : Scope.of(text).stream())
                        .toList(),
                Duration.ofDays(days),
                caller.name());
        TokenView view = TokenView.of(created.token());
        audit.done(caller, "token.create", view.id(), null, auditText(view));
        return new CreatedToken(view, created.secret());
    }

    /** Returns a token's name and scopes as text for the audit log. */
    private static String auditText(TokenView token) {
        return token.name() + ": " + String.join(", ", token.scopes());
    }

    @DeleteMapping("/api/v1/tokens/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void revoke(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
        tokens.revoke(id)
                .map(TokenView::of)
                .ifPresent(view -> audit.done(caller, "token.revoke", id, auditText(view), null));
    }
}
