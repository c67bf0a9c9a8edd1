package dev.komainu.agent.packet;

import java.nio.file.Path;

/** A capture file that violates its format; contains the position of the fault. */
public final class MalformedCaptureException extends Exception {

    private static final long serialVersionUID = 1;

    private final long position;

    MalformedCaptureException(Path file, long position, String what) {
        super("Malformed capture " + file + " at byte " + position + ": " + what);
        this.position = position;
    }

    /** Returns the offset in the file at which the broken item begins. */
    public long position() {
        return position;
    }
}
