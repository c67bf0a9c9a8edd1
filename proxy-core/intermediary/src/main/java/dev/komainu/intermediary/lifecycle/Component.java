package dev.komainu.intermediary.lifecycle;

import java.io.IOException;

/**
 * A part of a server, with its own start, reload and end. {@link Components} calls it, one thread
 * at a time.
 *
 * @param <S> the settings of the whole server
 */
public interface Component<S> {

    /**
     * Starts. The components before this one are open. When it fails, it leaves nothing open and is
     * not closed.
     *
     * @throws IOException with the setting that cannot be used
     */
    default void open() throws IOException {}

    /**
     * Prepares the part of a change that can fail. Nothing of it is in force yet. A component whose
     * change cannot fail implements {@link #apply} only.
     *
     * @throws IOException with the setting that cannot be used; nothing is left to discard
     */
    default PreparedChange prepare(SettingsChange<S> change) throws IOException {
        return () -> apply(change);
    }

    /** Puts a change in force. Does not fail. */
    default void apply(SettingsChange<S> change) {}

    /** Ends. The components after this one are closed already. */
    default void close() {}
}
