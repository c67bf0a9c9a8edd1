package dev.komainu.central.state;

import java.util.List;

/** Which rules a service is judged by: the book's, or those with thresholds of its own. */
@FunctionalInterface
public interface RulesByService {

    /** @param service canonical id */
    List<Rule> of(String service);
}
