package dev.komainu.central.api.page;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list.
 *
 * @param nextCursor where the next page begins; absent on the last one
 */
public record Page<T>(List<T> items, @Nullable String nextCursor) {

    /** Longest page (parameter {@code limit} of the contract). */
    public static final int MOST = 1000;

    public Page {
        items = List.copyOf(items);
    }

    /**
     * Cuts a list that was asked for one row more than the page holds: the extra row tells that
     * another page follows.
     *
     * @param found up to {@code limit + 1} rows
     * @param position what a row's successor is found by
     */
    public static <T> Page<T> of(List<T> found, int limit, Function<T, String> position) {
        if (found.size() <= limit) {
            return new Page<>(found, null);
        }
        List<T> items = found.subList(0, limit);
        return new Page<>(items, Cursor.encode(position.apply(items.getLast())));
    }

    public <R> Page<R> map(Function<? super T, ? extends R> change) {
        return new Page<>(items.stream().<R>map(change).toList(), nextCursor);
    }
}
