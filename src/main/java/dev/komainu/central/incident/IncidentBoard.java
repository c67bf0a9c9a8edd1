package dev.komainu.central.incident;

import dev.komainu.central.assessment.Assessment;
import dev.komainu.central.assessment.AssessmentListener;
import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.incident.IncidentGroups.Group;
import dev.komainu.central.incident.ServiceLink.Basis;
import dev.komainu.central.state.Judgement;
import dev.komainu.central.state.ServiceState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;

/**
 * The incidents that last now. Groups the services of every assessment that are in a bad state, on
 * the assessment's thread and before every other listener; does no I/O. An incident keeps its id
 * while its root becomes known, and over short recoveries. Incidents that lasted before a restart
 * are resumed. Any thread may read.
 */
public final class IncidentBoard implements AssessmentListener, Ordered {

    /** Time without a service in a bad state after which an incident ends. */
    static final Duration CLEAR = Duration.ofSeconds(30);

    /** Longest time for which an incident waits for its root. */
    static final Duration SETTLE = Duration.ofSeconds(8);

    /** Time after which a service that cannot be judged counts as recovered. */
    static final Duration UNKNOWN = Duration.ofSeconds(60);

    private static final Comparator<Incident> WORST_FIRST = Comparator.comparing(
                    (Incident incident) -> !incident.isActive())
            .thenComparing(incident -> incident.rootMember().state().severity())
            .thenComparing(Incident::began)
            .thenComparing(Incident::id);

    private final BiFunction<String, @Nullable String, @Nullable String> serviceAt;
    private final Consumer<Incident> store;
    private final Object lock = new Object();

    /** By id, in the order of their begin; guarded by {@link #lock}. */
    private final Map<String, Incident> open = new LinkedHashMap<>();

    /**
     * Creates the board and resumes open incidents.
     *
     * @param serviceAt returns the id of the service at an address, seen from a node; null when no
     *     watched service has it
     * @param resumed incidents that lasted when the service stopped, oldest first
     * @param store receives each incident that changed or ended; must return at once
     */
    public IncidentBoard(
            BiFunction<String, @Nullable String, @Nullable String> serviceAt,
            List<Incident> resumed,
            Consumer<Incident> store) {
        this.serviceAt = serviceAt;
        this.store = store;
        resumed.forEach(incident -> open.put(incident.id(), incident));
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public void assessed(Assessment assessment) {
        List<ServiceAssessment> bad = assessment.services().stream()
                .filter(service -> isBad(service.judgement().state()))
                .toList();
        List<Incident> changed = new ArrayList<>();
        synchronized (lock) {
            if (bad.isEmpty() && open.isEmpty()) {
                return;
            }
            ServiceLinks links = ServiceLinks.of(assessment.services(), serviceAt);
            List<Group> groups = IncidentGroups.of(bad, links);
            Map<Group, Incident> continued = match(groups);
            Map<String, String> byService = new HashMap<>();
            for (Group group : groups) {
                Incident before = continued.get(group);
                Incident now = update(before, group, links, assessment);
                group.services().forEach(service -> byService.put(service, now.id()));
                open.put(now.id(), now);
                if (before == null || !isStored(before, now)) {
                    changed.add(now);
                }
            }
            for (Incident each : List.copyOf(open.values())) {
                if (!byService.containsValue(each.id())) {
                    withoutGroup(each, assessment, byService, changed);
                }
            }
        }
        changed.forEach(store);
    }

    /** Returns the incidents that last, worst first, then by their begin. */
    public List<Incident> open() {
        synchronized (lock) {
            return open.values().stream().sorted(WORST_FIRST).toList();
        }
    }

    /** Returns the incident of a service; null when it belongs to none that lasts. */
    public @Nullable Incident of(String service) {
        Incident recovered = null;
        synchronized (lock) {
            for (Incident incident : open.values()) {
                IncidentMember member = incident.member(service);
                if (member != null && member.isActive()) {
                    return incident;
                }
                recovered = member == null ? recovered : incident;
            }
        }
        return recovered;
    }

    /** Reports whether a service in this state belongs to an incident. */
    static boolean isBad(ServiceState state) {
        return state != ServiceState.NORMAL && state != ServiceState.UNKNOWN;
    }

    /** Finds the incident that each group continues: by its root, else by any of its services. */
    private Map<Group, Incident> match(List<Group> groups) {
        Map<String, Incident> left = new LinkedHashMap<>(open);
        Map<Group, Incident> matched = new HashMap<>();
        for (Group group : groups) {
            left.values().stream()
                    .filter(incident -> incident.root().equals(group.root()))
                    .findFirst()
                    .ifPresent(incident -> matched.put(group, incident));
            Incident taken = matched.get(group);
            if (taken != null) {
                left.remove(taken.id());
            }
        }
        for (Group group : groups) {
            if (!matched.containsKey(group)) {
                Set<String> services = group.services();
                left.values().stream()
                        .filter(incident -> incident.members().stream()
                                .anyMatch(member -> services.contains(member.service())))
                        .findFirst()
                        .ifPresent(incident -> {
                            matched.put(group, incident);
                            left.remove(incident.id());
                        });
            }
        }
        return matched;
    }

    private static Incident update(
            @Nullable Incident before, Group group, ServiceLinks links, Assessment assessment) {
        Map<String, IncidentMember> members = new LinkedHashMap<>();
        Instant now = assessment.at();
        String root = root(before, group, links, now);
        if (before != null) {
            for (IncidentMember member : before.members()) {
                members.put(member.service(), left(member, assessment));
            }
        }
        for (String service : group.services()) {
            ServiceAssessment assessed = assessment.service(service);
            if (assessed != null) {
                Basis basis = service.equals(group.root())
                        ? links.basis(service, root)
                        : group.felt().get(service);
                members.put(service, member(members.get(service), assessed, basis));
            }
        }
        List<IncidentMember> sorted = new ArrayList<>(members.values());
        sorted.sort(Comparator.comparing(
                        (IncidentMember member) -> !member.service().equals(root))
                .thenComparing(IncidentMember::since)
                .thenComparing(IncidentMember::service));
        Instant began = before == null ? earliest(sorted, now) : before.began();
        boolean isSettled = (before != null && before.settled())
                || !group.waits()
                || Duration.between(began, now).compareTo(SETTLE) >= 0;
        return new Incident(
                before == null ? Incident.newId() : before.id(),
                root,
                began,
                null,
                null,
                isSettled,
                sorted);
    }

    /**
     * Returns the root: that of the group, unless it depends on the former root, which has just
     * recovered. Then the group feels what is left of the fault.
     */
    private static String root(
            @Nullable Incident before, Group group, ServiceLinks links, Instant now) {
        if (before == null || links.basis(group.root(), before.root()) == null) {
            return group.root();
        }
        Instant until = before.rootMember().until();
        boolean isLeft = until == null || Duration.between(until, now).compareTo(CLEAR) < 0;
        return isLeft ? before.root() : group.root();
    }

    private static Instant earliest(List<IncidentMember> members, Instant now) {
        return members.stream()
                .map(IncidentMember::since)
                .filter(since -> since.isBefore(now))
                .min(Comparator.naturalOrder())
                .orElse(now);
    }

    private static IncidentMember member(
            @Nullable IncidentMember before, ServiceAssessment assessed, @Nullable Basis basis) {
        Judgement judgement = assessed.judgement();
        Basis known = before == null ? null : before.basis();
        return new IncidentMember(
                assessed.profile().id(),
                judgement.state(),
                before == null ? Instant.ofEpochSecond(judgement.sinceSecond()) : before.since(),
                null,
                judgement.cause(),
                basis == null || known == null ? basis : basis.or(known),
                higher(
                        before == null ? null : before.worstResponseP95Millis(),
                        assessed.summary().responseP95Millis()));
    }

    private static @Nullable Double higher(@Nullable Double one, @Nullable Double other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return Math.max(one, other);
    }

    /** Returns the member as it is when its service is in no bad state of this incident. */
    private static IncidentMember left(IncidentMember member, Assessment assessment) {
        Instant now = assessment.at();
        Instant until = member.until();
        if (until != null) {
            // The clock was set back: a recovery in the future would keep the incident open.
            return until.isAfter(now) ? member.left(now) : member;
        }
        ServiceAssessment assessed = assessment.service(member.service());
        if (assessed != null && assessed.judgement().state() == ServiceState.UNKNOWN) {
            Instant since = Instant.ofEpochSecond(assessed.judgement().sinceSecond());
            if (Duration.between(since, now).compareTo(UNKNOWN) < 0) {
                return member;
            }
        }
        return member.left(now);
    }

    /** Handles an incident without a service in a bad state of its own. */
    private void withoutGroup(
            Incident incident,
            Assessment assessment,
            Map<String, String> byService,
            List<Incident> changed) {
        String into = null;
        List<IncidentMember> members = new ArrayList<>();
        for (IncidentMember member : incident.members()) {
            String other = byService.get(member.service());
            into = into == null && member.isActive() ? other : into;
            members.add(left(member, assessment));
        }
        Incident now = new Incident(
                incident.id(),
                incident.root(),
                incident.began(),
                null,
                null,
                incident.settled(),
                members);
        Incident ended = now.ended(into);
        Instant last = ended.ended();
        boolean isOver = !now.isActive()
                && last != null
                && Duration.between(last, assessment.at()).compareTo(CLEAR) >= 0;
        if (into != null || isOver) {
            open.remove(incident.id());
            changed.add(ended);
        } else {
            open.put(incident.id(), now);
            if (!isStored(incident, now)) {
                changed.add(now);
            }
        }
    }

    /** Reports whether nothing that is stored at once differs. */
    private static boolean isStored(Incident before, Incident now) {
        if (!before.root().equals(now.root())
                || before.settled() != now.settled()
                || before.members().size() != now.members().size()) {
            return false;
        }
        for (int i = 0; i < now.members().size(); i++) {
            IncidentMember one = before.members().get(i);
            IncidentMember other = now.members().get(i);
            if (!one.service().equals(other.service())
                    || one.state() != other.state()
                    || one.basis() != other.basis()
                    || one.isActive() != other.isActive()) {
                return false;
            }
        }
        return true;
    }
}
