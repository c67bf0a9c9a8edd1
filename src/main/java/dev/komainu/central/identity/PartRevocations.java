package dev.komainu.central.identity;

/** The parts whose certificates are not trusted any more. Any thread. */
@FunctionalInterface
public interface PartRevocations {

    /**
     * Reports whether a part has lost its identity.
     *
     * @param part its id, as its certificate names it
     */
    boolean isRevoked(String part);
}
