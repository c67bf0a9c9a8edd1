package dev.komainu.central.state;

import java.util.List;

/** The rules for each service: the rule set, or the rule set with thresholds of the service. */
@FunctionalInterface
public interface RulesByService {

    /**
     * Returns the rules of a service.
     *
     * @param service canonical id
     */
    List<Rule> of(String service);
}
