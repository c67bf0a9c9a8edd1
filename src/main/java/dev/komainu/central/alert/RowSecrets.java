package dev.komainu.central.alert;

/**
 * The secrets in the bodies of a {@link VersionedTable}, which are stored encrypted.
 *
 * @param <T> type of the bodies
 */
public interface RowSecrets<T> {

    /**
     * Returns a body with its secrets encrypted for a row. Encrypted ones stay as they are, unless
     * they were encrypted with an older key.
     */
    T sealed(String id, T body);

    /** Returns a body with its secrets in clear; those that cannot be decrypted stay encrypted. */
    T opened(String id, T body);

    /** Returns the hash of a body that contains secrets. */
    String digest(String text);
}
