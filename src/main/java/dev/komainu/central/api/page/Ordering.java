package dev.komainu.central.api.page;

import dev.komainu.central.api.problem.ProblemException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The parameter {@code sort} of a list: the name of a member, or {@code -NAME} for the highest
 * first. Items without the member come last in both directions; equal items keep their order.
 */
public final class Ordering<T> {

    private final Map<String, Function<Boolean, Comparator<T>>> keys = new LinkedHashMap<>();

    /** Adds a member that a list can be sorted by. */
    public <K extends Comparable<? super K>> Ordering<T> by(
            String name, Function<T, @Nullable K> key) {
        keys.put(name, descending -> {
            Comparator<K> values = descending
                    ? Comparator.<K>naturalOrder().reversed()
                    : Comparator.naturalOrder();
            return Comparator.comparing(key, Comparator.nullsLast(values));
        });
        return this;
    }

    /**
     * Returns the sorted items.
     *
     * @param sort the parameter; absent: the items as they are
     * @throws ProblemException 400 with all names when none is the given one
     */
    public List<T> sorted(List<T> items, @Nullable String sort) {
        if (sort == null) {
            return items;
        }
        boolean descending = sort.startsWith("-");
        Function<Boolean, Comparator<T>> key = keys.get(descending ? sort.substring(1) : sort);
        if (key == null) {
            throw ProblemException.invalidField(
                    "sort",
                    sort,
                    "one of " + String.join(", ", keys.keySet())
                            + ", with - before it for the highest first");
        }
        return items.stream().sorted(key.apply(descending)).toList();
    }
}
