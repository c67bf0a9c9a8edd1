package dev.komainu.central.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records newest first.
 *
 * @param next give it as {@code after} to read on; absent on the last page
 */
public record StoredPage<T>(
        List<StoredRecord<T>> items, @Nullable String next) {

    public StoredPage {
        items = List.copyOf(items);
    }
}
