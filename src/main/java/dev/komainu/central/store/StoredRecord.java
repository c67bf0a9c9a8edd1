package dev.komainu.central.store;

/**
 * A record with its place in the store.
 *
 * @param key names it for ever; also the cursor for what is older
 * @param source who reported it
 */
public record StoredRecord<T>(String key, String source, T record) {}
