package dev.komainu.central.store;

/**
 * A record with its position in the store.
 *
 * @param key permanent name of the record; also the cursor for older records
 * @param source source that reported it
 */
public record StoredRecord<T>(String key, String source, T record) {}
