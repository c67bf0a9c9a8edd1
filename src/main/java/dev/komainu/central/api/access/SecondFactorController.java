package dev.komainu.central.api.access;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.access.AccessSettings;
import dev.komainu.central.access.Caller;
import dev.komainu.central.access.SecondFactorMode;
import dev.komainu.central.access.SecondFactorSetUp;
import dev.komainu.central.access.SecondFactors;
import dev.komainu.central.access.Session;
import dev.komainu.central.access.Users;
import dev.komainu.central.access.totp.TotpSecret;
import dev.komainu.central.api.problem.BodyChecks;
import dev.komainu.central.api.problem.Problem;
import dev.komainu.central.api.problem.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.security.core.annotation.AuthenticationPrincipal;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The second factor of the caller, and for administrators its removal from other users. */
@RestController
class SecondFactorController {

    private static final String OWN = "/api/v1/session/second-factor";
    private static final String FACTOR = "second factor";

    private final SecondFactors factors;
    private final SecondFactorSetUp setUp;
    private final Users users;
    private final PasswordChecks checks;
    private final AccessSettings settings;
    private final Clock clock;

    SecondFactorController(
            SecondFactors factors,
            SecondFactorSetUp setUp,
            Users users,
            PasswordChecks checks,
            AccessSettings settings,
            Clock clock) {
        this.factors = factors;
        this.setUp = setUp;
        this.users = users;
        this.checks = checks;
        this.settings = settings;
        this.clock = clock;
    }

    /**
     * {@code SecondFactor} of the contract.
     *
     * @param since time of the set-up; absent without one
     * @param required whether the user may not be without one
     * @param now the service's clock, for comparison with the browser's
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record FactorView(
            @Nullable Instant since, int recoveryCodesLeft, boolean required, Instant now) {}

    /**
     * {@code SecondFactorOffer} of the contract.
     *
     * @param secret base32, to be typed
     * @param uri the content of the QR code
     */
    record Offer(String secret, String uri, Instant until) {}

    record Code(@Nullable String code) {}

    record Codes(List<String> recoveryCodes) {}

    @GetMapping(OWN)
    FactorView own(@AuthenticationPrincipal Caller caller) {
        String user = PasswordChecks.session(caller).user().name();
        return new FactorView(
                factors.since(user).orElse(null),
                factors.recoveryCodesLeft(user),
                required(),
                clock.instant());
    }

    /** Offers a secret. Until its first code, it has no effect. */
    @PostMapping(OWN)
    @ResponseStatus(HttpStatus.CREATED)
    Offer offer(@AuthenticationPrincipal Caller caller, HttpServletRequest request) {
        Session session = ownPassword(caller);
        checks.requireConfirmed(caller);
        TotpSecret secret = setUp.offer(session, caller.origin());
        return new Offer(
                secret.text(),
                secret.uri(session.user().name() + "@" + request.getServerName()),
                clock.instant().plus(SecondFactors.OFFER_LIFE));
    }

    /** Sets the offered secret up by its first code. */
    @PutMapping(OWN)
    Codes confirm(@AuthenticationPrincipal Caller caller, @RequestBody Code body) {
        Session session = ownPassword(caller);
        String code = Objects.requireNonNullElse(body.code(), "");
        new BodyChecks()
                .secret(!code.isBlank(), "code", "the code that the authenticator shows")
                .orRefuse();
        return switch (setUp.confirm(session, code, caller.origin())) {
            case SecondFactorSetUp.Outcome.Done done -> new Codes(done.recoveryCodes());
            case SecondFactorSetUp.Outcome.Wrong wrong ->
                throw new ProblemException(CodeProblems.wrong(400, clock.instant()));
            case SecondFactorSetUp.Outcome.NoOffer none ->
                throw new ProblemException(Problem.conflict(
                        "no-offer",
                        "No secret was offered within 15 minutes (expected: POST " + OWN
                                + " first)"));
            case SecondFactorSetUp.Outcome.Throttled throttled ->
                throw PasswordChecks.tooMany(throttled.after());
        };
    }

    @DeleteMapping(OWN)
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void remove(@AuthenticationPrincipal Caller caller) {
        checks.requireConfirmed(caller);
        if (required()) {
            throw new ProblemException(
                    Problem.conflict(
                            "second-factor-required",
                            "komainu.access.second-factor: required (expected: set up another one instead)"));
        }
        Session session = PasswordChecks.session(caller);
        if (!setUp.removeOwn(session, caller.origin())) {
            throw none(session.user().name());
        }
    }

    /** Replaces the recovery codes. */
    @PostMapping(OWN + "/recovery-codes")
    @ResponseStatus(HttpStatus.CREATED)
    Codes renew(@AuthenticationPrincipal Caller caller) {
        checks.requireConfirmed(caller);
        Session session = PasswordChecks.session(caller);
        return setUp.renewRecoveryCodes(session, caller.origin())
                .map(Codes::new)
                .orElseThrow(() -> none(session.user().name()));
    }

    /** Removes the second factor of a user who cannot give a code any more. */
    @DeleteMapping("/api/v1/users/{name}/second-factor")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    void removeOf(@AuthenticationPrincipal Caller caller, @PathVariable String name) {
        checks.requireConfirmed(caller);
        if (users.find(name).isEmpty()) {
            throw new ProblemException(Problem.notFound("user", name));
        }
        if (!setUp.removeOf(name, caller)) {
            throw none(name);
        }
    }

    /** Returns the session of a caller whose password is the user's own, not a one-time one. */
    private static Session ownPassword(Caller caller) {
        Session session = PasswordChecks.localSession(caller);
        if (session.user().mustChangePassword()) {
            throw new ProblemException(
                    Problem.of(
                            403,
                            "password-change-required",
                            "Change the password first",
                            "The service generated this password; set another one with PUT /api/v1/session/password"));
        }
        return session;
    }

    private boolean required() {
        return settings.secondFactor() == SecondFactorMode.REQUIRED;
    }

    private static ProblemException none(String user) {
        return new ProblemException(Problem.notFound(FACTOR, user));
    }
}
