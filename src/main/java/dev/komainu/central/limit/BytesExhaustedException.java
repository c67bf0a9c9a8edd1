package dev.komainu.central.limit;

/**
 * The refusal of bytes by the budget. Unchecked, so that it passes through parsers. It has no stack
 * trace, since it is expected.
 */
public final class BytesExhaustedException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final boolean permanent;

    BytesExhaustedException(String message, boolean permanent) {
        super(message, null, false, false);
        this.permanent = permanent;
    }

    /** Reports whether the request exceeds the budget even when nothing else is in hand. */
    public boolean permanent() {
        return permanent;
    }
}
