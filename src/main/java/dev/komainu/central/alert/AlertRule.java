package dev.komainu.central.alert;

import dev.komainu.central.label.Glob;
import dev.komainu.central.label.LabelSelector;
import dev.komainu.central.label.ServiceLabels;
import dev.komainu.central.state.ServiceState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A rule that decides when an alert fires, how it is notified and to which receivers.
 *
 * @param name 1 to 80 characters; the {@code alertname} of webhooks
 * @param states of services only: labels ({@code saturated/cpu}) or families ({@code saturated});
 *     empty: every state except normal and unknown
 * @param service pattern of service ids, names of sources or clusters, or {@code CLUSTER/MEMBER},
 *     {@code *} for anything; absent: all
 * @param needed number of the last {@code ofSeconds} assessments in which the condition must hold
 *     before the alert fires; 1 to {@code ofSeconds}
 * @param ofSeconds number of assessments considered, one a second; 1 to 900. A duration of 60 s is
 *     60 of 60
 * @param clearSeconds time without the condition after which the alert ends; 0 to 3600 s. Joins an
 *     intermittent condition into one alert
 * @param repeatHours hours between repeated notices while the alert fires; 0 (never) to 168
 * @param severity absent: the default of the state or kind
 * @param threshold for {@code probe-loss} packets a minute, for {@code record-drops} records a
 *     minute, for {@code store-full} the used share, for {@code record-server} the seconds of an
 *     outage or of a wait; absent: {@link #USUAL_PACKETS}, {@link #USUAL_RECORDS},
 *     {@link #USUAL_SHARE}, {@link #USUAL_SECONDS}
 * @param receivers ids of receivers; empty: all
 * @param label of services only: selector of the services; absent: all. Both pattern and selector
 *     must match
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
        boolean enabled,
        @Nullable String label) {

    /** Creates a rule without a selector. */
    public AlertRule(
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
        this(
                name,
                kind,
                states,
                service,
                needed,
                ofSeconds,
                clearSeconds,
                repeatHours,
                severity,
                threshold,
                receivers,
                enabled,
                null);
    }

    public static final int LONGEST_LOOK_SECONDS = 900;
    public static final int LONGEST_CLEAR_SECONDS = 3_600;
    public static final int LONGEST_REPEAT_HOURS = 168;

    static final double USUAL_PACKETS = 100;
    static final double USUAL_RECORDS = 1;
    static final double USUAL_SHARE = 0.9;
    static final double USUAL_SECONDS = 60;

    public AlertRule {
        states = List.copyOf(states);
        receivers = List.copyOf(receivers);
    }

    /** The verdict of a rule on one observation. */
    enum Verdict {
        /** The observation is of another kind, or of a subject that the rule does not cover. */
        NOT_CONCERNED,
        HOLDS,
        HOLDS_NOT,
        /** The condition is not observable: a firing alert continues, and no alert starts. */
        NOT_OBSERVABLE
    }

    Verdict evaluate(Observation observation) {
        if (observation.kind() != kind
                || !covers(observation.subject())
                || !selects(observation.labels())) {
            return Verdict.NOT_CONCERNED;
        }
        boolean holds = switch (kind) {
            case SERVICE -> means(observation.state());
            case SOURCE_SILENT -> observation.state().equals(Observer.SILENT);
            case PROBE_LOSS -> observation.figure() >= limit(USUAL_PACKETS);
            case RECORD_DROPS -> observation.figure() >= limit(USUAL_RECORDS);
            case STORE_FULL -> observation.figure() >= limit(USUAL_SHARE);
            case DISK_FULL -> observation.state().equals(RoomObserver.NO_ROOM);
            case RECORD_SERVER -> RecordServerObserver.isBad(observation, limit(USUAL_SECONDS));
            case QUOTA -> observation.state().equals(Observer.REFUSING);
            case FOREIGN_REPORT -> observation.state().equals(Observer.FOREIGN);
            case IDENTITY -> !observation.state().equals(Observer.ORDERLY);
            case CLUSTER_PARTED, CLUSTER_CONFLICT, MEMBER_FLAPPING ->
                !observation.state().equals(ClusterObserver.SETTLED);
            case TOKEN_CREATED, CONTROL_MENDED -> false; // events, not conditions
        };
        // A rule that names "unknown" holds for it: there the missing observation is the condition.
        if (holds && (observation.observable() || kind == AlertKind.SERVICE)) {
            return Verdict.HOLDS;
        }
        return observation.observable() ? Verdict.HOLDS_NOT : Verdict.NOT_OBSERVABLE;
    }

    /** Reports whether the rule covers this subject of its kind. */
    boolean covers(String subject) {
        return enabled && (service == null || Glob.matches(service, subject));
    }

    /** Reports whether the selector means a service with these labels. */
    boolean selects(ServiceLabels labels) {
        return label == null
                || (LabelSelector.isSelector(label)
                        && LabelSelector.parse(label).matches(labels));
    }

    Severity severityOf(Observation observation) {
        return severity == null ? observation.usual() : severity;
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
