package dev.komainu.central.api.problem;

/**
 * The failure of a response whose beginning was already sent. The connection is closed without the
 * end of the response, so that no client takes the part for the whole.
 */
public final class CutOffException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public CutOffException(Throwable cause) {
        super("response cut off: " + cause.getMessage(), cause);
    }
}
