package dev.komainu.central.union;

/** A listener for settled seconds; called under the service's lock, in order of time. */
@FunctionalInterface
public interface SettledListener {

    /**
     * Accepts a second.
     *
     * @param service canonical id
     */
    void settled(String service, SettledSecond second);
}
