package dev.komainu.central.api.page;

import dev.komainu.central.limit.RequestLimit;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list.
 *
 * @param nextCursor start of the next page; absent on the last page
 */
public record Page<T>(List<T> items, @Nullable String nextCursor) {

    /** Largest number of items on a page (parameter {@code limit} of the contract). */
    public static final int MOST = RequestLimit.PAGE_ITEMS.value();

    public Page {
        items = List.copyOf(items);
    }

    /**
     * Returns a page of a list that was read with one extra row. The extra row means that another
     * page follows.
     *
     * @param rows rows, up to {@code limit + 1}
     * @param position returns the position of a row for its cursor
     */
    public static <T> Page<T> of(List<T> rows, int limit, Function<T, String> position) {
        if (rows.size() <= limit) {
            return new Page<>(rows, null);
        }
        List<T> items = rows.subList(0, limit);
        return new Page<>(items, Cursor.encode(position.apply(items.getLast())));
    }

    public <R> Page<R> map(Function<? super T, ? extends R> change) {
        return new Page<>(items.stream().<R>map(change).toList(), nextCursor);
    }
}
