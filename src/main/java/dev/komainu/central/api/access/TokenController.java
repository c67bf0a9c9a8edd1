package dev.komainu.central.api.access;

import dev.komainu.central.access.ApiToken;
import dev.komainu.central.access.ApiTokens;
import dev.komainu.central.access.Audit;
import dev.komainu.central.access.Caller;
import dev.komainu.central.access.PowerfulTokenCreated;
import dev.komainu.central.access.Scope;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.ProblemException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationEventPublisher;
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

    /** Longest time for which a rotated token works beside its successor. */
    private static final int MOST_OVERLAP_HOURS = 720;

    private static final int DEFAULT_OVERLAP_HOURS = 24;

    private final ApiTokens tokens;
    private final Audit audit;
    private final PasswordChecks checks;
    private final ApplicationEventPublisher events;

    TokenController(
            ApiTokens tokens,
            Audit audit,
            PasswordChecks checks,
            ApplicationEventPublisher events) {
        this.tokens = tokens;
        this.audit = audit;
        this.checks = checks;
        this.events = events;
    }

    record Rotation(@Nullable Integer overlapHours) {}

    record NewToken(
            @Nullable String name,
            @Nullable List<@Nullable String> scopes,
            @Nullable Integer expiresInDays,
            @Nullable String group,
            @Nullable Reporting reporting) {}

    record TokenView(
            String id,
            String name,
            List<String> scopes,
            Instant created,
            Instant expires,
            @Nullable Instant lastUsed,
            @Nullable Instant loginBy,
            String createdBy,
            @Nullable String group,
            @Nullable Reporting reporting) {

        static TokenView of(ApiToken token) {
            return new TokenView(
                    token.id(),
                    token.name(),
                    token.scopes().stream().map(Scope::text).toList(),
                    token.created(),
                    token.expires(),
                    token.lastUsed(),
                    token.loginBy(),
                    token.createdBy(),
                    token.group(),
                    Reporting.of(token.reportingBounds()));
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
        BodyChecks mistakes = new BodyChecks()
                .text("name", request.name(), 64)
                .that(!texts.isEmpty(), "scopes", request.scopes(), "at least one of " + SCOPES)
                .that(days >= 1 && days <= MOST_DAYS, "expiresInDays", days, "1 to " + MOST_DAYS);
        for (int i = 0; i < texts.size(); i++) {
            String text = texts.get(i);
            mistakes.that(
                    text != null && Scope.of(text).isPresent(),
                    "scopes[" + i + "]",
                    text,
                    "one of " + SCOPES);
        }
        List<Scope> scopes = texts.stream()
                .flatMap(text ->
                        text == null ? Optional.<Scope>empty().stream() : Scope.of(text).stream())
                .toList();
        mistakes.that(
                GroupBinding.mayBind(request.group(), scopes),
                "group",
                request.group(),
                GroupBinding.FOR_TOKENS);
        Reporting reporting = request.reporting();
        Reporting.check(mistakes, reporting, scopes);
        mistakes.orRefuse();
        checks.requireConfirmed(caller);
        ApiTokens.Created created = tokens.create(
                Objects.requireNonNull(request.name()).strip(),
                scopes,
                Duration.ofDays(days),
                caller.name(),
                GroupBinding.canonical(request.group()),
                reporting == null ? null : reporting.bounds());
        return told(created, caller, "token.create", null);
    }

    /** Creates a token in place of this one, which works for the overlap. */
    @PostMapping("/api/v1/tokens/{id}/rotation")
    @ResponseStatus(HttpStatus.CREATED)
    CreatedToken rotate(
            @AuthenticationPrincipal Caller caller,
            @PathVariable String id,
            @RequestBody Rotation rotation) {
        int hours = Objects.requireNonNullElse(rotation.overlapHours(), DEFAULT_OVERLAP_HOURS);
        new BodyChecks()
                .that(
                        hours >= 0 && hours <= MOST_OVERLAP_HOURS,
                        "overlapHours",
                        hours,
                        "0 to " + MOST_OVERLAP_HOURS)
                .orRefuse();
        checks.requireConfirmed(caller);
        ApiTokens.Created created = tokens.rotate(id, Duration.ofHours(hours), caller.name())
                .orElseThrow(ProblemException.notFound("token", id));
        return told(created, caller, "token.rotate", id);
    }

    private CreatedToken told(
            ApiTokens.Created created, Caller caller, String action, @Nullable String before) {
        TokenView view = TokenView.of(created.token());
        audit.done(caller, action, view.id(), before, auditText(view));
        if (PowerfulTokenCreated.isPowerful(created.token())) {
            events.publishEvent(new PowerfulTokenCreated(created.token(), caller.origin()));
        }
        return new CreatedToken(view, created.secret());
    }

    /** Returns a token's name, scopes and bounds as text for the audit log. */
    static String auditText(TokenView token) {
        String text = token.name() + ": " + String.join(", ", token.scopes());
        if (token.group() != null) {
            text += ", services of " + token.group();
        }
        return token.reporting() == null
                ? text
                : text + ", " + token.reporting().text();
    }

    @DeleteMapping("/api/v1/tokens/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void revoke(@AuthenticationPrincipal Caller caller, @PathVariable String id) {
        tokens.revoke(id)
                .map(TokenView::of)
                .ifPresent(view -> audit.done(caller, "token.revoke", id, auditText(view), null));
    }
}
