package dev.komainu.central.incident;

import dev.komainu.central.assessment.ServiceAssessment;
import dev.komainu.central.fleet.OriginSide;
import dev.komainu.central.incident.ServiceLink.Basis;
import dev.komainu.central.state.ServiceState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The services in a bad state, grouped by the service in which the cause lies. A service belongs to
 * the group of a server on which it depends if that server is in a bad state and the service's own
 * state can be the effect. Pure.
 */
final class IncidentGroups {

    /**
     * States that a slow or failing server behind can cause. A shortage of CPU time, memory, disk
     * or bandwidth is the service's own.
     */
    private static final Set<ServiceState> EFFECTS = EnumSet.of(
            ServiceState.UPSTREAM_FAULT,
            ServiceState.SATURATED_PROCESSES,
            ServiceState.SATURATED_SOCKETS,
            ServiceState.FAILING);

    private final Map<String, ServiceAssessment> bad = new LinkedHashMap<>();
    private final ServiceLinks links;

    private IncidentGroups(List<ServiceAssessment> bad, ServiceLinks links) {
        bad.forEach(service -> this.bad.put(service.profile().id(), service));
        this.links = links;
    }

    /**
     * One group.
     *
     * @param waits whether the root depends on a watched server that is not in a bad state yet
     * @param felt the services that feel it, with the basis of their dependency on the root
     */
    record Group(String root, boolean waits, Map<String, Basis> felt) {

        Set<String> services() {
            Set<String> all = new LinkedHashSet<>();
            all.add(root);
            all.addAll(felt.keySet());
            return all;
        }
    }

    private record Chain(String root, Basis basis) {}

    /**
     * Groups the services.
     *
     * @param bad services in a bad state
     * @return the groups, the earliest root first
     */
    static List<Group> of(List<ServiceAssessment> bad, ServiceLinks links) {
        return new IncidentGroups(bad, links).groups();
    }

    private List<Group> groups() {
        Map<String, Map<String, Basis>> felt = new HashMap<>();
        for (String service : bad.keySet()) {
            Chain chain = chain(service);
            Map<String, Basis> group =
                    felt.computeIfAbsent(chain.root(), root -> new LinkedHashMap<>());
            if (!service.equals(chain.root())) {
                group.put(service, chain.basis());
            }
        }
        List<Group> groups = new ArrayList<>();
        felt.forEach((root, services) -> groups.add(new Group(root, waits(root), services)));
        groups.sort(Comparator.comparing((Group group) -> since(group.root()))
                .thenComparing(Group::root));
        return groups;
    }

    /** Follows the dependencies to the last service in a bad state. */
    private Chain chain(String service) {
        Set<String> seen = new LinkedHashSet<>();
        String at = service;
        Basis basis = Basis.MEASURED;
        while (seen.add(at)) {
            ServiceLink cause = cause(at);
            if (cause == null) {
                return new Chain(at, basis);
            }
            basis = basis.and(cause.basis());
            at = cause.server();
        }
        // They depend on each other: the one that was bad first counts.
        List<String> circle = new ArrayList<>(seen);
        circle = circle.subList(circle.indexOf(at), circle.size());
        String first = circle.stream()
                .min(Comparator.comparing(this::since).thenComparing(Comparator.naturalOrder()))
                .orElseThrow();
        return new Chain(first, basis);
    }

    private @Nullable ServiceLink cause(String service) {
        if (!feels(service)) {
            return null;
        }
        return links.of(service).stream()
                .filter(link -> bad.containsKey(link.server()))
                .min(Comparator.comparing(ServiceLink::basis)
                        .thenComparing(link -> since(link.server()))
                        .thenComparing(ServiceLink::server))
                .orElse(null);
    }

    private boolean waits(String root) {
        return feels(root)
                && links.of(root).stream()
                        .anyMatch(link -> OriginSide.proxyOf(link.server()) == null
                                && !bad.containsKey(link.server()));
    }

    /** Reports whether the state of a service can be the effect of another's. */
    private boolean feels(String service) {
        // An origin side is a second view of the server behind it.
        return OriginSide.proxyOf(service) != null || EFFECTS.contains(state(service));
    }

    private ServiceState state(String service) {
        return get(service).judgement().state();
    }

    private long since(String service) {
        return get(service).judgement().sinceSecond();
    }

    private ServiceAssessment get(String service) {
        ServiceAssessment assessed = bad.get(service);
        if (assessed == null) {
            throw new IllegalArgumentException(service + " (expected: a service in a bad state)");
        }
        return assessed;
    }
}
