package dev.komainu.central.store;

import org.jspecify.annotations.Nullable;

/**
 * A failure of the storage (disk full, file damaged); the message names the attempted operation. A
 * later retry may succeed.
 */
public final class StoreException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public StoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
