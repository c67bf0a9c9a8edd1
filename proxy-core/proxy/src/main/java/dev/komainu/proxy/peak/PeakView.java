package dev.komainu.proxy.peak;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The decision as shown to users.
 *
 * @param orderedUntilMillis end of an administrator's order, since the epoch; null: no order
 * @param last the latest readings; null before the first
 * @param usualArrivals usual arrivals a second, from the demand
 * @param ofTheDay usual arrivals at this time of day; its days are 0 while nothing is known
 * @param next the usual peak that comes next, or is waited for; null when none is known
 * @param switches number of changes in total
 * @param history the last decisions, oldest first
 */
public record PeakView(
        PeakDecision.Now now,
        @Nullable Long orderedUntilMillis,
        @Nullable SecondReading last,
        double usualArrivals,
        PeakHistory.Usual ofTheDay,
        PeakHistory.@Nullable Expected next,
        long switches,
        List<PeakDecision.Now> history) {

    public PeakView {
        history = List.copyOf(history);
    }
}
