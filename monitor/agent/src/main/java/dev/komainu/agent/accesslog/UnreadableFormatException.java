package dev.komainu.agent.accesslog;

/**
 * A log format that cannot be used; the message describes the fault in the format and contains no
 * line of a log.
 */
public final class UnreadableFormatException extends Exception {

    private static final long serialVersionUID = 1;

    UnreadableFormatException(String message) {
        super(message);
    }
}
