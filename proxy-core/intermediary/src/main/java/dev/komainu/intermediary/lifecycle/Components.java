package dev.komainu.intermediary.lifecycle;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The components of a server, in the order in which they open. Changes are applied in the same
 * order; closing is in reverse order. One thread at a time.
 *
 * @param <S> the settings of the whole server
 */
public final class Components<S> implements AutoCloseable {

    private final List<Component<S>> all;
    /** Components before this index are open. */
    private int open;

    public Components(List<? extends Component<S>> all) {
        this.all = List.copyOf(all);
    }

    /** Returns the components in this order, without absent ones. */
    @SafeVarargs
    public static <S> Components<S> of(@Nullable Component<S>... all) {
        return new Components<>(Arrays.stream(all).filter(Objects::nonNull).toList());
    }

    /**
     * Opens all. When one fails, those before it are closed; failures of closing are suppressed in
     * the first failure.
     *
     * @throws IOException of the component that failed
     */
    public void open() throws IOException {
        try {
            for (Component<S> component : all) {
                component.open();
                open++;
            }
        } catch (Throwable e) {
            try {
                close();
            } catch (RuntimeException | Error second) {
                e.addSuppressed(second);
            }
            throw e;
        }
    }

    /**
     * Puts a change in force: first every component prepares it, then every one applies it.
     *
     * @throws IOException of the component that cannot prepare it; nothing has changed then
     */
    public void apply(SettingsChange<S> change) throws IOException {
        List<PreparedChange> prepared = new ArrayList<>();
        try {
            for (Component<S> component : all) {
                prepared.add(component.prepare(change));
            }
        } catch (Throwable e) {
            for (PreparedChange preparedChange : prepared.reversed()) {
                try {
                    preparedChange.discard();
                } catch (RuntimeException | Error second) {
                    e.addSuppressed(second);
                }
            }
            throw e;
        }
        prepared.forEach(PreparedChange::apply);
    }

    /**
     * Closes the open components in reverse order. A failure does not prevent the others from
     * closing: the first failure is thrown at the end, with the later ones suppressed. A second
     * call does nothing.
     */
    @Override
    public void close() {
        Throwable first = null;
        while (open > 0) {
            open--;
            try {
                all.get(open).close();
            } catch (RuntimeException | Error e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        switch (first) {
            case null -> {}
            case RuntimeException e -> throw e;
            default -> throw (Error) first;
        }
    }
}
