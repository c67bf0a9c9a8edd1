package dev.komainu.central.assessment;

import dev.komainu.central.fleet.SourceProfile;
import dev.komainu.central.state.Transition;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The judgements on all services at one instant. Immutable.
 *
 * @param at instant of the tick
 * @param services worst first
 * @param sources all sources that report, or did
 * @param transitions transitions of this tick
 * @param byId the services by their canonical ids
 */
public record Assessment(
        Instant at,
        List<ServiceAssessment> services,
        List<SourceProfile> sources,
        List<Transition> transitions,
        Map<String, ServiceAssessment> byId) {

    /** Creates an assessment of these services. */
    public Assessment(
            Instant at,
            List<ServiceAssessment> services,
            List<SourceProfile> sources,
            List<Transition> transitions) {
        this(
                at,
                List.copyOf(services),
                List.copyOf(sources),
                List.copyOf(transitions),
                byId(services));
    }

    private static Map<String, ServiceAssessment> byId(List<ServiceAssessment> services) {
        Map<String, ServiceAssessment> byId = HashMap.newHashMap(services.size());
        services.forEach(service -> byId.putIfAbsent(service.profile().id(), service));
        return byId;
    }

    public static Assessment nothingYet(Instant at) {
        return new Assessment(at, List.of(), List.of(), List.of());
    }

    /** Returns the service of this canonical id; null when it is unknown. */
    public @Nullable ServiceAssessment service(String id) {
        return byId.get(id);
    }
}
