package dev.komainu.central.api.incident;

import dev.komainu.central.alert.notify.DeliveryTable;
import dev.komainu.central.change.Change;
import dev.komainu.central.change.Changes;
import dev.komainu.central.incident.Incident;
import dev.komainu.central.incident.IncidentMember;
import dev.komainu.central.state.StateHistory;
import dev.komainu.central.state.Transition;
import dev.komainu.central.verify.Verification;
import dev.komainu.central.verify.Verifications;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.springframework.stereotype.Component;

/**
 * The course of an incident: what is stored elsewhere about its services and its time. Any thread.
 */
@Component
class IncidentCourse {

    /** Time before the begin in which a change may have caused it. */
    private static final Duration BEFORE = Duration.ofMinutes(10);

    /** Time after the end in which a verification of its cure ends. */
    private static final Duration AFTER = Duration.ofMinutes(30);

    private static final int MOST_OF_A_SERVICE = 200;
    private static final int MOST_NOTICES = 200;

    private final StateHistory history;
    private final Changes changes;
    private final Verifications verifications;
    private final DeliveryTable deliveries;
    private final Clock clock;

    IncidentCourse(
            StateHistory history,
            Changes changes,
            Verifications verifications,
            DeliveryTable deliveries,
            Clock clock) {
        this.history = history;
        this.changes = changes;
        this.verifications = verifications;
        this.deliveries = deliveries;
        this.clock = clock;
    }

    /** Returns the events, oldest first. */
    List<IncidentEvent> of(Incident incident) {
        Instant end = incident.ended() == null ? clock.instant() : incident.ended();
        List<IncidentEvent> events = new ArrayList<>();
        for (IncidentMember member : incident.members()) {
            transitions(member.service(), incident.began(), end, events);
            changes(member.service(), incident.began(), end, events);
        }
        deliveries
                .ofIncident(incident.id(), MOST_NOTICES)
                .forEach(each -> events.add(IncidentEvent.of(each)));
        events.sort(Comparator.comparing(IncidentEvent::at).thenComparing(IncidentEvent::kind));
        return events;
    }

    private void transitions(
            String service, Instant began, Instant end, List<IncidentEvent> events) {
        List<Transition> all = history.between(
                service, began.getEpochSecond(), end.plusSeconds(1).getEpochSecond());
        all.subList(0, Math.min(MOST_OF_A_SERVICE, all.size()))
                .forEach(each -> events.add(IncidentEvent.of(each)));
    }

    private void changes(String service, Instant began, Instant end, List<IncidentEvent> events) {
        for (Change change : changes.list(service, Long.MAX_VALUE, MOST_OF_A_SERVICE)) {
            if (isWithin(change.at(), began.minus(BEFORE), end)) {
                events.add(IncidentEvent.of(change));
            }
        }
        for (Verification run :
                verifications.list(service, null, Long.MAX_VALUE, MOST_OF_A_SERVICE)) {
            Instant finished = run.finished();
            if (finished != null
                    && run.result() != null
                    && isWithin(run.started(), began.minus(BEFORE), end)
                    && isWithin(finished, began, end.plus(AFTER))) {
                events.add(IncidentEvent.of(run));
            }
        }
    }

    private static boolean isWithin(Instant at, Instant from, Instant to) {
        return !at.isBefore(from) && !at.isAfter(to);
    }
}
