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

    /**
     * Returns a page of a list in memory. Its cursor is a position, so that items move between
     * pages when the list changes meanwhile.
     *
     * @param limit largest number of items
     * @param cursor position of the first item; absent: the list's beginning
     */
    public static <T> Page<T> slice(List<T> all, int limit, @Nullable String cursor) {
        int from = Math.clamp(Cursor.decodeNumber(cursor, 0), 0, all.size());
        int to = Math.min(all.size(), from + Cursor.limit(limit));
        return new Page<>(
                all.subList(from, to),
                to < all.size() ? Cursor.encode(Integer.toString(to)) : null);
    }

    /** Returns a page of a list in memory; the whole list without limit and cursor. */
    public static <T> Page<T> sliceIfAsked(
            List<T> all, @Nullable Integer limit, @Nullable String cursor) {
        return limit == null && cursor == null
                ? new Page<>(all, null)
                : slice(all, limit == null ? MOST : limit, cursor);
    }

    public <R> Page<R> map(Function<? super T, ? extends R> change) {
        return new Page<>(items.stream().<R>map(change).toList(), nextCursor);
    }
}
