package dev.komainu.central.alert;

/**
 * An item that users edit, with its version for optimistic locking.
 *
 * @param version 1 at creation, incremented by each edit
 */
public record Versioned<T>(String id, long version, T body) {}
