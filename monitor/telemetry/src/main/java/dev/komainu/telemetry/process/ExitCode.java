package dev.komainu.telemetry.process;

import java.io.IOException;
import java.net.BindException;
import java.util.List;

/** The exit codes of commands. */
public final class ExitCode {

    public static final int OK = 0;
    /** A failure that is not caused by a setting. */
    public static final int FAILED = 1;
    /** Invalid settings. */
    public static final int SETTINGS = 2;
    /** An address that cannot be bound. */
    public static final int ADDRESS = 3;

    private ExitCode() {}

    /** Prints all problems in settings, one per line. Returns {@link #SETTINGS}. */
    public static int report(List<String> problems) {
        problems.forEach(System.err::println);
        return SETTINGS;
    }

    /** Prints the cause of a failed start. Returns {@link #ADDRESS} or {@link #SETTINGS}. */
    public static int report(IOException failure) {
        System.err.println(failure.getMessage());
        return failure instanceof BindException ? ADDRESS : SETTINGS;
    }
}
