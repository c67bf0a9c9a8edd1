package dev.komainu.organizer.member;

/** Bytes that are no message: at which byte, and what was expected there. */
final class MalformedMessageException extends Exception {
    private static final long serialVersionUID = 1;

    MalformedMessageException(int position, String fault) {
        super("Malformed message at byte " + position + ": " + fault);
    }
}
