package dev.komainu.proxy.peak;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The decision as it is shown.
 *
 * @param orderedUntilMillis when an administrator's word ends, since the epoch; absent: nobody
 *     ordered
 * @param last the readings it was judged by; absent before the first
 * @param usualArrivals a second, as the demand knows them
 * @param ofTheDay usual arrivals at this time of day; its days are 0 while nothing is known
 * @param next the usual peak that comes next, or is waited for; absent when none is known
 * @param switches in all
 * @param history the last ones, oldest first
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
