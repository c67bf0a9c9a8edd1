package dev.komainu.central.recording;

/** The failure to read a block of a recording. */
final class DamagedBlockException extends Exception {

    private static final long serialVersionUID = 1;

    DamagedBlockException(String message) {
        super(message);
    }
}
