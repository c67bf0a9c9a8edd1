package dev.komainu.central.api.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.change.Change;
import dev.komainu.central.fleet.RefusedNames;
import dev.komainu.central.incident.Incident;
import dev.komainu.central.indices.LocalizedText;
import dev.komainu.central.state.ServiceState;
import dev.komainu.central.state.StateHistory;
import dev.komainu.central.state.Transition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code Overview} of the contract.
 *
 * @param recent newest first; absent while the database of control data is away
 */
record OverviewView(
        Instant at,
        Counts counts,
        List<ServiceView> services,
        List<Incident> incidents,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<Recent> recent,
        List<SourceView> sources,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Refused> refused,
        @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable SharedTokenView sharedToken) {

    /** Largest number of recent events. */
    static final int RECENT = 20;

    /**
     * The refusals of one limit of the fleet since the start.
     *
     * @param limit its label
     * @param last the newest refused name
     * @param at time of the newest refusal
     */
    record Refused(String limit, long count, String last, Instant at) {

        static List<Refused> of(RefusedNames refused) {
            return refused.all().entrySet().stream()
                    .map(each -> new Refused(
                            each.getKey().label(),
                            each.getValue().count(),
                            each.getValue().last(),
                            Instant.ofEpochMilli(each.getValue().atMicros() / 1_000)))
                    .toList();
        }
    }

    /** The numbers of services by kind of state. */
    record Counts(int saturated, int stopped, int fault, int normal, int unknown) {}

    /**
     * One recent event.
     *
     * @param from state before a transition
     * @param to state after a transition
     */
    @JsonInclude(JsonInclude.Include.ALWAYS)
    record Recent(
            Instant at,
            String kind,
            @Nullable String service,
            LocalizedText text,
            @Nullable String from,
            @Nullable String to) {}

    static OverviewView of(
            Assessment assessment,
            List<Incident> incidents,
            @Nullable List<Recent> recent,
            RefusedNames refused,
            ReportingCredentials credentials) {
        return new OverviewView(
                assessment.at(),
                counts(assessment),
                assessment.services().stream().map(ServiceView::of).toList(),
                incidents,
                recent,
                assessment.sources().stream()
                        .map(source -> SourceView.of(source, credentials))
                        .toList(),
                Refused.of(refused),
                credentials.shared());
    }

    /** Returns the newest transitions and changes, newest first. */
    static List<Recent> recent(List<StateHistory.Kept> transitions, List<Change> changes) {
        List<Recent> recent = new ArrayList<>();
        transitions.forEach(kept -> recent.add(recent(kept.transition())));
        changes.forEach(change -> recent.add(recent(change)));
        recent.sort(Comparator.comparing(Recent::at).reversed());
        return List.copyOf(recent.subList(0, Math.min(RECENT, recent.size())));
    }

    private static Counts counts(Assessment assessment) {
        int[] counts = new int[ServiceState.Severity.values().length];
        assessment
                .services()
                .forEach(s -> counts[s.judgement().state().severity().ordinal()]++);
        return new Counts(
                counts[ServiceState.Severity.SATURATED.ordinal()],
                counts[ServiceState.Severity.STOPPED.ordinal()],
                counts[ServiceState.Severity.FAULT.ordinal()],
                counts[ServiceState.Severity.NORMAL.ordinal()],
                counts[ServiceState.Severity.UNKNOWN.ordinal()]);
    }

    private static Recent recent(Transition transition) {
        return new Recent(
                Instant.ofEpochSecond(transition.atSecond()),
                "transition",
                transition.service(),
                LocalizedText.of(transition.cause().en(), transition.cause().ja()),
                transition.from().label(),
                transition.to().label());
    }

    private static Recent recent(Change change) {
        String title = change.wish().title();
        return new Recent(
                change.at(),
                "change",
                change.wish().service(),
                LocalizedText.of(title, title),
                null,
                null);
    }
}
