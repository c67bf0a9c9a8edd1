package dev.komainu.central.access;

import dev.komainu.central.access.totp.TotpSecret;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Component;

/**
 * The set-up and removal of second factors, with their consequences: sessions that end, and audit
 * entries. Any thread.
 */
@Component
public class SecondFactorSetUp {

    private static final String SET_UP = "second-factor.set-up";

    private final SecondFactors factors;
    private final PendingLogins pending;
    private final Sessions sessions;
    private final LoginThrottle throttle;
    private final Audit audit;

    public SecondFactorSetUp(
            SecondFactors factors,
            PendingLogins pending,
            Sessions sessions,
            LoginThrottle throttle,
            Audit audit) {
        this.factors = factors;
        this.pending = pending;
        this.sessions = sessions;
        this.throttle = throttle;
        this.audit = audit;
    }

    /** The outcome of the first code. */
    public sealed interface Outcome {
        /**
         * The second factor is set up.
         *
         * @param recoveryCodes new ones; they are not stored
         */
        record Done(List<String> recoveryCodes) implements Outcome {}

        record Wrong() implements Outcome {}

        /** No secret was offered, or too long ago. */
        record NoOffer() implements Outcome {}

        /** Too many wrong codes in this session; the code was not compared. */
        record Throttled(Duration after) implements Outcome {}
    }

    /** Returns a new secret for the user of a session. The first code sets it up. */
    public TotpSecret offer(Session session, AuditOrigin origin) {
        String user = session.user().name();
        TotpSecret secret = factors.offer(user);
        audit.write(origin, user, "second-factor.offer", user, "done", null, null);
        return secret;
    }

    /**
     * Sets up the offered secret. All other sessions of the user end: they were opened without the
     * second factor, or with the one before.
     */
    public Outcome confirm(Session session, String code, AuditOrigin origin) {
        return switch (throttle.admit(session)) {
            case LoginThrottle.Admission.Wait wait -> new Outcome.Throttled(wait.after());
            case LoginThrottle.Admission.Admitted admitted ->
                confirm(session, code, origin, admitted);
        };
    }

    private Outcome confirm(
            Session session,
            String code,
            AuditOrigin origin,
            LoginThrottle.Admission.Admitted admitted) {
        String user = session.user().name();
        String before = factors.isSetUp(user) ? "set up" : "none";
        return switch (factors.confirm(user, code)) {
            case SecondFactors.Confirmation.Done done -> {
                throttle.succeeded(admitted);
                pending.endAll(user);
                int ended = sessions.closeOthers(session);
                audit.write(
                        origin,
                        user,
                        SET_UP,
                        user,
                        "done",
                        before,
                        "set up; sessions ended: " + ended);
                yield new Outcome.Done(done.recoveryCodes());
            }
            case SecondFactors.Confirmation.Wrong wrong -> {
                audit.write(origin, user, SET_UP, user, "refused", null, "wrong code");
                yield new Outcome.Wrong();
            }
            case SecondFactors.Confirmation.NoOffer none -> {
                throttle.cancelled(admitted);
                yield new Outcome.NoOffer();
            }
        };
    }

    /** Replaces the recovery codes of a session's user; empty without a second factor. */
    public Optional<List<String>> renewRecoveryCodes(Session session, AuditOrigin origin) {
        String user = session.user().name();
        Optional<List<String>> codes = factors.renewRecoveryCodes(user);
        if (codes.isPresent()) {
            audit.write(origin, user, "second-factor.recovery-codes", user, "done", null, null);
        }
        return codes;
    }

    /** Removes the second factor of a session's user. Returns false when the user has none. */
    public boolean removeOwn(Session session, AuditOrigin origin) {
        String user = session.user().name();
        return remove(user, user, origin, 0);
    }

    /**
     * Removes the second factor of a user, whose sessions end: the device may be stolen. Returns
     * false when the user has none.
     *
     * @param actor the administrator, or the service itself
     */
    boolean removeOf(String user, String actor, AuditOrigin origin) {
        return factors.isSetUp(user) && remove(user, actor, origin, sessions.endAll(user));
    }

    /** Removes the second factor of a user at the request of an administrator. */
    public boolean removeOf(String user, Caller administrator) {
        return removeOf(user, administrator.name(), administrator.origin());
    }

    private boolean remove(String user, String actor, AuditOrigin origin, int ended) {
        boolean removed = factors.remove(user);
        pending.endAll(user);
        if (removed) {
            String after = ended == 0 ? "none" : "none; sessions ended: " + ended;
            audit.write(origin, actor, "second-factor.remove", user, "done", "set up", after);
        }
        return removed;
    }
}
