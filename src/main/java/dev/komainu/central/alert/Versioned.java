package dev.komainu.central.alert;

/**
 * Something people edit, with the version they saw.
 *
 * @param version 1 when made, one more with each edit
 */
public record Versioned<T>(String id, long version, T body) {}
