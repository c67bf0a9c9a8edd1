package dev.komainu.organizer.member;

/** Bytes that are not a message, with the position and what was expected there. */
final class MalformedMessageException extends Exception {
    private static final long serialVersionUID = 1;

    MalformedMessageException(int position, String fault) {
        super("Malformed message at byte " + position + ": " + fault);
    }
}
