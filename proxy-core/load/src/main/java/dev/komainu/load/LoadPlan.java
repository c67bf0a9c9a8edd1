package dev.komainu.load;

import dev.komainu.load.browser.ClientProfile;
import org.jspecify.annotations.Nullable;

/**
 * A load ready for execution: everything is read, resolved and checked.
 *
 * @param phases rates of the visitors; with a population only the duration
 * @param even evenly spaced instead of a Poisson process
 * @param population fixed number of visitors, 0: they arrive by the phases
 * @param addresses the visitors' own addresses; null: selected by the system
 * @param pages thread-safe
 * @param maxVisitors limit of simultaneous visitors
 * @param threads number of event loops
 */
record LoadPlan(
        ClientProfile profile,
        LoadPhases phases,
        boolean even,
        int population,
        @Nullable VisitorAddresses addresses,
        PageRequestSource pages,
        VisitModel visitModel,
        int maxVisitors,
        int threads,
        long seed) {}
