package dev.komainu.central.union;

/** Reason why a window of a source is not part of the union. Each is left out for one reason. */
public enum LeftOutReason {
    /** It came after its second was settled. */
    LATE,
    /** It came without its connections. */
    WITHOUT_PARTS,
    /** Its connections came, but too many waited already. */
    WITHOUT_ROOM,
    /** Its source's clock is too far ahead of the others'. */
    AHEAD,
    /** Clocks were set back while it waited. */
    SET_BACK
}
