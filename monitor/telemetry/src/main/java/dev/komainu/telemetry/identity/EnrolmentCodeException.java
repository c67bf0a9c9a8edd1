package dev.komainu.telemetry.identity;

/** A text that is not an enrolment code. The message never contains the secret. */
public final class EnrolmentCodeException extends IllegalArgumentException {

    private final int position;
    private final String expected;

    EnrolmentCodeException(int position, String found, String expected) {
        super("character " + position + ": " + found + " (expected: " + expected + ")");
        this.position = position;
        this.expected = expected;
    }

    /** Returns the position of the mistake, from 1. */
    public int position() {
        return position;
    }

    /** Returns the expectation at the position. */
    public String expected() {
        return expected;
    }
}
