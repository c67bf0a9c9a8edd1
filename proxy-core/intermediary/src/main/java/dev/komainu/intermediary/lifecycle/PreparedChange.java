package dev.komainu.intermediary.lifecycle;

/**
 * A change of settings that one component is ready to make. One of the two methods is called, once.
 */
@FunctionalInterface
public interface PreparedChange {

    /** Puts the change in force. Does not fail. */
    void apply();

    /** Discards the resources opened for the change, because another component cannot make it. */
    default void discard() {}
}
