package dev.komainu.central.ingest;

/**
 * The answer to a batch that is stored.
 *
 * @param batch its name: {@code source/epoch/sequence}
 * @param records how many of its records this version understands
 * @param duplicate it was stored before; nothing changed
 */
record Receipt(String batch, int records, boolean duplicate) {}
