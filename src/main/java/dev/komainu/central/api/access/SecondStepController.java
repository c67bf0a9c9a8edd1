package dev.komainu.central.api.access;

import dev.komainu.central.access.AuditOrigin;
import dev.komainu.central.access.KnownBrowsers;
import dev.komainu.central.access.SecondStep;
import dev.komainu.central.api.guard.BrowserCookie;
import dev.komainu.central.api.guard.PendingCookie;
import dev.komainu.central.api.guard.SessionCookie;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.time.Clock;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** The second step of a login: the code after the password. */
@RestController
class SecondStepController {

    private final SecondStep step;
    private final SessionViews views;
    private final PendingCookie pending;
    private final SessionCookie cookie;
    private final BrowserCookie browser;
    private final Clock clock;

    SecondStepController(
            SecondStep step,
            SessionViews views,
            PendingCookie pending,
            SessionCookie cookie,
            BrowserCookie browser,
            Clock clock) {
        this.step = step;
        this.views = views;
        this.pending = pending;
        this.cookie = cookie;
        this.browser = browser;
        this.clock = clock;
    }

    record Code(@Nullable String code) {}

    @PostMapping("/api/v1/session/code")
    SessionView give(
            @RequestBody Code body, HttpServletRequest request, HttpServletResponse response) {
        String code = Objects.requireNonNullElse(body.code(), "");
        new BodyChecks()
                .secret(!code.isBlank(), "code", "a code of the authenticator, or a recovery code")
                .orRefuse();
        AuditOrigin origin =
                new AuditOrigin(request.getRemoteAddr(), request.getHeader("User-Agent"));
        return switch (step.attempt(
                pending.read(request).orElse(null), code, origin, browser.read(request))) {
            case SecondStep.Outcome.LoggedIn loggedIn -> {
                cookie.set(request, response, loggedIn.opened().secret());
                browser.set(request, response, loggedIn.mark(), KnownBrowsers.LIFE);
                pending.clear(request, response);
                yield views.of(loggedIn.opened().session());
            }
            case SecondStep.Outcome.Refused refused
            when refused.left() > 0 ->
                throw new ProblemException(CodeProblems.of(401, refused.check(), clock.instant()));
            case SecondStep.Outcome.Refused refused -> throw ended();
            case SecondStep.Outcome.Ended ended -> throw ended();
        };
    }

    private static ProblemException ended() {
        return new ProblemException(Problem.of(
                401,
                "login-ended",
                "The login has ended",
                "A login waits 5 minutes for its code and takes 5 codes. Log in again"));
    }
}
