package dev.komainu.central.control;

import org.jspecify.annotations.Nullable;

/** The refusal of a database at the start; its message names the setting and the expectation. */
public final class ControlRefusedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    ControlRefusedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
