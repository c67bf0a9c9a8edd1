package dev.komainu.central.assessment;

import dev.komainu.central.fleet.SourceProfile;
import dev.komainu.central.state.Transition;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The judgements on all services at one instant. Immutable.
 *
 * @param at instant of the tick
 * @param services worst first
 * @param sources all sources that report, or did
 * @param transitions transitions of this tick
 */
public record Assessment(
        Instant at,
        List<ServiceAssessment> services,
        List<SourceProfile> sources,
        List<Transition> transitions) {

    public Assessment {
        services = List.copyOf(services);
        sources = List.copyOf(sources);
        transitions = List.copyOf(transitions);
    }

    public static Assessment nothingYet(Instant at) {
        return new Assessment(at, List.of(), List.of(), List.of());
    }

    /** Returns the service of this canonical id; null when it is unknown. */
    public @Nullable ServiceAssessment service(String id) {
        for (ServiceAssessment service : services) {
            if (service.profile().id().equals(id)) {
                return service;
            }
        }
        return null;
    }
}
