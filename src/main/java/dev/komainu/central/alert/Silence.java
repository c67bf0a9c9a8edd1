package dev.komainu.central.alert;

import dev.komainu.central.label.Glob;
import dev.komainu.central.label.LabelSelector;
import dev.komainu.central.label.ServiceLabels;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A period without notices. The rules are still evaluated, and the console shows that the alert is
 * silenced.
 *
 * @param maintenance true: one service is under maintenance, and all notices about it are
 *     suppressed
 * @param service pattern of service ids or source names; absent: all. For a maintenance: the id of
 *     one service
 * @param states labels or families; empty: all
 * @param reason 1 to 500 characters
 * @param by user or {@code token:NAME}
 * @param endsAt at most {@link #MOST_DAYS} days after the begin; the silence ends by the clock
 * @param label selector of services; absent: all. Both pattern and selector must match
 */
public record Silence(
        boolean maintenance,
        @Nullable String service,
        List<String> states,
        String reason,
        String by,
        Instant startsAt,
        Instant endsAt,
        @Nullable String label) {

    /** Creates a silence without a selector. */
    public Silence(
            boolean maintenance,
            @Nullable String service,
            List<String> states,
            String reason,
            String by,
            Instant startsAt,
            Instant endsAt) {
        this(maintenance, service, states, reason, by, startsAt, endsAt, null);
    }

    public static final int MOST_DAYS = 30;

    public Silence {
        states = List.copyOf(states);
    }

    public boolean runs(Instant now) {
        return !now.isBefore(startsAt) && now.isBefore(endsAt);
    }

    /** Reports whether this silence suppresses notices about this subject in this state. */
    public boolean covers(String subject, ServiceLabels labels, String state, Instant now) {
        return runs(now)
                && (label == null
                        || (LabelSelector.isSelector(label)
                                && LabelSelector.parse(label).matches(labels)))
                && (service == null
                        || (maintenance ? service.equals(subject) : Glob.matches(service, subject)))
                && (states.isEmpty() || StateMatch.any(states, state));
    }

    /** Returns one line for the audit: what is suppressed, until when, and the reason. */
    public String summary() {
        String services = service == null ? "all" : service;
        String subject = label == null ? services : services + " with " + label;
        String scope = states.isEmpty() ? subject : subject + " in " + String.join(", ", states);
        return (maintenance ? "maintenance of " : "silence of ") + scope + " until " + endsAt + ": "
                + reason;
    }

    /** Returns the fields that the user requested, without those set from the clock. */
    Silence requested() {
        return new Silence(maintenance, service, states, reason, by, Instant.EPOCH, endsAt, label);
    }

    /** Returns this silence with its end set to now. */
    Silence endedAt(Instant now) {
        return new Silence(
                maintenance,
                service,
                states,
                reason,
                by,
                startsAt,
                now.isBefore(endsAt) ? now : endsAt,
                label);
    }
}
