package dev.komainu.load;

import dev.komainu.load.browser.ClientProfile;
import org.jspecify.annotations.Nullable;

/**
 * A load that can be carried out: everything read, resolved and checked.
 *
 * @param phases how many visitors are due when; with a population only how long
 * @param even evenly spaced instead of a Poisson process
 * @param population visitors who belong here, 0: they come by the phases
 * @param addresses the visitors' own; absent: what the system chooses
 * @param pages safe for all threads
 * @param most visitors at once
 * @param threads event loops
 */
record LoadPlan(
        ClientProfile manner,
        LoadPhases phases,
        boolean even,
        int population,
        @Nullable VisitorAddresses addresses,
        PageRequestSource pages,
        VisitModel habits,
        int most,
        int threads,
        long seed) {}
