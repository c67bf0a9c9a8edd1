package dev.komainu.central.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of records, newest first.
 *
 * @param next value of {@code after} for the next page; absent on the last page
 */
public record StoredPage<T>(
        List<StoredRecord<T>> items, @Nullable String next) {

    public StoredPage {
        items = List.copyOf(items);
    }
}
