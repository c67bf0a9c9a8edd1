package dev.komainu.agent.packet;

import java.nio.file.Path;

/** A capture file that does not say what a capture file says; tells where. */
public final class MalformedCaptureException extends Exception {

    private static final long serialVersionUID = 1;

    private final long position;

    MalformedCaptureException(Path file, long position, String what) {
        super("Malformed capture " + file + " at byte " + position + ": " + what);
        this.position = position;
    }

    /** Byte of the file at which the broken item begins. */
    public long position() {
        return position;
    }
}
