package dev.komainu.central.control;

import dev.komainu.central.lease.LeaseKeeper;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.HashSet;
import java.util.Set;

/**
 * The reason why the database of control data does not carry out a statement, by its SQL state
 * (PostgreSQL's manual, appendix A).
 */
public enum ControlDataFailure {
    /** Class 08, a connection that broke, or a pool without a free connection. */
    UNREACHABLE("does not respond", "a PostgreSQL server 15 or newer that responds"),
    /** States 57P01 to 57P03: it is shut down, has crashed, or starts. */
    RESTARTING("is restarting", "a PostgreSQL server that accepts logins"),
    /** States 53100 and 53200: no space on its disk, or no memory. */
    FULL("has no space or memory left", "a PostgreSQL server with space on its disk"),
    /** State 53300. */
    TOO_MANY_CONNECTIONS("has no free connection", "max_connections with room for 4 more"),
    /** State 57014, or the driver's time limit. */
    SLOW("responds too slowly", "a PostgreSQL server that responds within 15 s"),
    /** State 25006: a standby, or a server that was set to read only. */
    READ_ONLY("accepts no writes", "the primary server (targetServerType=primary)"),
    /** State KM001: the epoch of this service is over. */
    SUPERSEDED("belongs to another central service now", "one central service that judges"),
    /** Class 28. */
    LOGIN(
            "refuses the login",
            "komainu.control.user and komainu.control.password-file as on the server"),
    /** State 3D000. */
    NO_DATABASE("has no such database", "a database that exists, empty at the first start"),
    /** State 22021: a text with U+0000, which PostgreSQL cannot store. */
    TEXT("cannot store a text with the character U+0000", "texts without it"),
    /** Any other state. */
    OTHER("failed", "a PostgreSQL server 15 or newer");

    private final String text;
    private final String expected;

    ControlDataFailure(String text, String expected) {
        this.text = text;
        this.expected = expected;
    }

    /** Returns what the database does or has, after the words "the database". */
    public String text() {
        return text;
    }

    /** Returns the text for a start that fails by it. */
    String startText() {
        return text + " (expected: " + expected + ")";
    }

    /** Reports whether the same statement can succeed later, without any change of settings. */
    public boolean isOutage() {
        return switch (this) {
            case UNREACHABLE, RESTARTING, FULL, TOO_MANY_CONNECTIONS, SLOW, READ_ONLY, SUPERSEDED ->
                true;
            case LOGIN, NO_DATABASE, TEXT, OTHER -> false;
        };
    }

    /**
     * Carries out a write that the next request repeats, such as the time of the newest one. An
     * outage is ignored.
     */
    public static void unlessOutage(Runnable write) {
        try {
            write.run();
        } catch (RuntimeException e) {
            if (!of(e).isOutage()) {
                throw e;
            }
        }
    }

    /** Returns the reason that is named by an exception or one of its causes. */
    public static ControlDataFailure of(Throwable failure) {
        Set<Throwable> seen = new HashSet<>();
        ControlDataFailure found = OTHER;
        for (Throwable cause = failure;
                cause != null && seen.add(cause);
                cause = cause.getCause()) {
            if (cause instanceof SQLException sql) {
                ControlDataFailure named = sql.getSQLState() != null
                        ? ofState(sql.getSQLState())
                        : cause instanceof SQLTransientConnectionException
                                ? UNREACHABLE // the pool's own exception, without a state
                                : OTHER;
                // The deepest one is the server's own word.
                found = named == OTHER ? found : named;
            }
        }
        return found;
    }

    private static ControlDataFailure ofState(String state) {
        return switch (state) {
            case "57P01", "57P02", "57P03", "57P05" -> RESTARTING;
            case "53100", "53200", "53400" -> FULL;
            case "53300" -> TOO_MANY_CONNECTIONS;
            case "57014" -> SLOW;
            case "25006" -> READ_ONLY;
            case "3D000" -> NO_DATABASE;
            case "22021" -> TEXT;
            case LeaseKeeper.OLDER_EPOCH -> SUPERSEDED;
            case String s when s.startsWith("08") -> UNREACHABLE;
            case String s when s.startsWith("28") -> LOGIN;
            case String s when s.startsWith("58") -> FULL;
            default -> OTHER;
        };
    }
}
