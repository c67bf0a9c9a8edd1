package dev.komainu.central.api.page;

import dev.komainu.central.api.problem.ProblemException;
import dev.komainu.central.limit.RequestLimit;
import java.time.Duration;
import java.time.Instant;

/** The check of the range {@code from} to {@code to} of a query. */
public final class QueryRange {

    private QueryRange() {}

    /**
     * Checks the length of a range.
     *
     * @throws ProblemException 400 when it is longer than any data is kept
     */
    public static void check(Instant from, Instant to) {
        Duration most = RequestLimit.RANGE.time();
        if (from.isBefore(to.minus(most))) {
            throw ProblemException.invalidField(
                    "from", from, "at most " + most.toDays() + " days before " + to);
        }
    }
}
