package dev.komainu.central.alert;

import dev.komainu.central.state.ServiceState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rule that decides when an alert fires, how it is notified and to which receivers.
 *
 * @param name 1 to 80 characters; the {@code alertname} of webhooks
 * @param states of services only: labels ({@code saturated/cpu}) or families ({@code saturated});
 *     empty: every state but normal and unknown
 * @param service pattern of service ids, names of sources or clusters, or {@code CLUSTER/MEMBER},
 *     {@code *} for anything; absent: all
 * @param needed of the last {@code ofSeconds} assessments so many must hold before it fires; 1 to
 *     ofSeconds
 * @param ofSeconds assessments looked back on, one a second; 1 to 900. A duration of 60 s is 60 of
 *     60
 * @param clearSeconds it ends when it has not held for so long; 0 to 3600. Joins what comes and
 *     goes to one alert
 * @param repeatHours told again while it lasts; 0 (never) to 168
 * @param severity absent: as usual for the state or kind
 * @param threshold of {@code probe-loss} packets and of {@code record-drops} records in a minute,
 *     of {@code store-full} the used share; absent: {@link #USUAL_PACKETS}, {@link #USUAL_RECORDS},
 *     {@link #USUAL_SHARE}
 * @param receivers ids; empty: all
 */
public record AlertRule(
        String name,
        AlertKind kind,
        List<String> states,
        @Nullable String service,
        int needed,
        int ofSeconds,
        int clearSeconds,
        int repeatHours,
        @Nullable Severity severity,
        @Nullable Double threshold,
        List<String> receivers,
        boolean enabled) {

    public static final int LONGEST_LOOK_SECONDS = 900;
    public static final int LONGEST_CLEAR_SECONDS = 3_600;
    public static final int LONGEST_REPEAT_HOURS = 168;

    static final double USUAL_PACKETS = 100;
    static final double USUAL_RECORDS = 1;
    static final double USUAL_SHARE = 0.9;

    public AlertRule {
        states = List.copyOf(states);
        receivers = List.copyOf(receivers);
    }

    /** The verdict of a rule on one observation. */
    enum Verdict {
        /** Another kind, or a name the rule does not mean. */
        NOT_MINE,
        HOLDS,
        HOLDS_NOT,
        /** Nothing can be said: what fires goes on firing, what does not does not begin. */
        UNSEEN
    }

    Verdict judge(Observation seen) {
        if (seen.kind() != kind || !concerns(seen.subject())) {
            return Verdict.NOT_MINE;
        }
        boolean holds = switch (kind) {
            case SERVICE -> means(seen.state());
            case SOURCE_SILENT -> seen.state().equals(Observer.SILENT);
            case PROBE_LOSS -> seen.figure() >= limit(USUAL_PACKETS);
            case RECORD_DROPS -> seen.figure() >= limit(USUAL_RECORDS);
            case STORE_FULL -> seen.figure() >= limit(USUAL_SHARE);
            case CLUSTER_PARTED, CLUSTER_CONFLICT, MEMBER_FLAPPING ->
                !seen.state().equals(ClusterObserver.SETTLED);
        };
        // A rule that names "unknown" means it: then not being able to see is what it waits for.
        if (holds && (seen.seen() || kind == AlertKind.SERVICE)) {
            return Verdict.HOLDS;
        }
        return seen.seen() ? Verdict.HOLDS_NOT : Verdict.UNSEEN;
    }

    /** Whether it is about this subject, as long as that is of its kind. */
    boolean concerns(String subject) {
        return enabled && (service == null || Glob.matches(service, subject));
    }

    Severity severityOf(Observation seen) {
        return severity == null ? seen.usual() : severity;
    }

    private boolean means(String state) {
        if (states.isEmpty()) {
            return !state.equals(ServiceState.NORMAL.label())
                    && !state.equals(ServiceState.UNKNOWN.label());
        }
        return StateMatch.any(states, state);
    }

    private double limit(double usual) {
        return threshold == null ? usual : threshold;
    }
}
