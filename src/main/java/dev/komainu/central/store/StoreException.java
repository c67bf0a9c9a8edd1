package dev.komainu.central.store;

import org.jspecify.annotations.Nullable;

/**
 * The storage failed (disk full, file damaged); says what was tried. Trying again later may help.
 */
public final class StoreException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public StoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
