package dev.komainu.central.backup.table;

/**
 * The content of a table in short.
 *
 * @param rows number of rows
 * @param sum the sum of the SHA-256 of all rows modulo 2^256, 64 hexadecimal digits. It does not
 *     depend on the order of rows, which engines sort differently
 */
public record TableSum(long rows, String sum) {}
