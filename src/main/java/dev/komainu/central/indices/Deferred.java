package dev.komainu.central.indices;

import java.util.AbstractList;
import java.util.AbstractMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Unmodifiable collections whose content is computed when it is first read. An assessment of
 * hundreds of services is made every second, and most of its texts and curves are never read. Any
 * thread; the content is computed once.
 */
public final class Deferred {

    private Deferred() {}

    /**
     * Returns a list with the content that {@code content} returns.
     *
     * @param content called at most once, by the thread that first reads the list
     */
    public static <T extends @Nullable Object> List<T> list(Supplier<List<T>> content) {
        return new DeferredList<>(new Once<>(content));
    }

    /**
     * Returns a map with the content that {@code content} returns, in its order.
     *
     * @param content called at most once, by the thread that first reads the map
     */
    public static <K, V> Map<K, V> map(Supplier<Map<K, V>> content) {
        return new DeferredMap<>(new Once<>(content));
    }

    /** A value and, until it is first requested, its source. Guarded by itself. */
    private static final class Once<T> {
        private @Nullable Supplier<T> source;
        private @Nullable T value;

        Once(Supplier<T> source) {
            this.source = source;
        }

        synchronized T get() {
            T known = value;
            Supplier<T> from = source;
            if (known == null) {
                if (from == null) {
                    throw new IllegalStateException("the content could not be computed before");
                }
                source = null;
                known = from.get();
                value = known;
            }
            return known;
        }
    }

    private static final class DeferredList<T extends @Nullable Object> extends AbstractList<T> {
        private final Once<List<T>> content;

        DeferredList(Once<List<T>> content) {
            this.content = content;
        }

        @Override
        public T get(int index) {
            return content.get().get(index);
        }

        @Override
        public int size() {
            return content.get().size();
        }
    }

    private static final class DeferredMap<K, V> extends AbstractMap<K, V> {
        private final Once<Map<K, V>> content;

        DeferredMap(Once<Map<K, V>> content) {
            this.content = content;
        }

        @Override
        public Set<Map.Entry<K, V>> entrySet() {
            return content.get().entrySet();
        }

        @Override
        public @Nullable V get(@Nullable Object key) {
            return content.get().get(key);
        }

        @Override
        public boolean containsKey(@Nullable Object key) {
            return content.get().containsKey(key);
        }
    }
}
