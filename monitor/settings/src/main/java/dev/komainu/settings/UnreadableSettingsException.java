package dev.komainu.settings;

/** A file of settings cannot be used; the message tells the file, what is wrong, and where. */
public final class UnreadableSettingsException extends Exception {

    private static final long serialVersionUID = 1;

    UnreadableSettingsException(String message) {
        super(message);
    }
}
