package dev.komainu.central.api.page;

import dev.komainu.central.api.problem.ProblemException;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The parameter of a query that has one of several labels. */
public final class QueryChoice {

    private QueryChoice() {}

    /**
     * Returns the value with a label.
     *
     * @param field name of the parameter
     * @throws ProblemException 400 with every label when none is the given one
     */
    public static <T> T of(String field, String given, T[] values, Function<T, String> label) {
        return Arrays.stream(values)
                .filter(value -> label.apply(value).equals(given))
                .findFirst()
                .orElseThrow(() -> ProblemException.invalidField(
                        field,
                        given,
                        Arrays.stream(values).map(label).collect(Collectors.joining(", "))));
    }
}
