package dev.komainu.intermediary.lifecycle;

import java.io.IOException;

/**
 * One part of a server, with its own start, reload and end. {@link Components} calls it, one thread
 * at a time.
 *
 * @param <S> the settings of the whole server
 */
public interface Component<S> {

    /**
     * Starts. The components before this one are open. After a failure nothing of this one is left
     * open: it is not closed.
     *
     * @throws IOException naming the setting that cannot be used
     */
    default void open() throws IOException {}

    /**
     * Does the part of a change that can fail. Nothing of it is in force yet. A component whose
     * change cannot fail implements {@link #apply} only.
     *
     * @throws IOException naming the setting that cannot be used; nothing is left to discard
     */
    default PreparedChange prepare(SettingsChange<S> change) throws IOException {
        return () -> apply(change);
    }

    /** Puts a change in force. Does not fail. */
    default void apply(SettingsChange<S> change) {}

    /** Ends. The components after this one are closed. */
    default void close() {}
}
