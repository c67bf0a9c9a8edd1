package dev.komainu.central.clickhouse;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A statement that failed.
 *
 * <table><caption>Outcomes</caption>
 * <tr><th>outcome</th><th>was the statement carried out?</th></tr>
 * <tr><td>{@link Outcome#NOT_SENT}</td><td>no</td></tr>
 * <tr><td>{@link Outcome#UNKNOWN}</td><td>perhaps, or later</td></tr>
 * <tr><td>{@link Outcome#REFUSED}</td><td>an insert perhaps in part; the server says why</td></tr>
 * </table>
 */
public final class ClickHouseException extends SQLException {

    private static final long serialVersionUID = 1;

    /** The outcome of a failed statement, as far as it is known. */
    public enum Outcome {
        NOT_SENT,
        UNKNOWN,
        REFUSED
    }

    /** The kind of a failed statement, as counted by {@link ClickHouseFailures}. */
    public enum Kind {
        /** The server cannot be reached. */
        CONNECTION,
        /** No response in time. */
        TIMEOUT,
        /** The connection broke in the middle. */
        BROKEN,
        /** The server refuses because of its state, for example a full disk. */
        STATE,
        /** The server refuses this statement. */
        STATEMENT;

        /** Returns the name in the contract and as a label of metrics. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The server's number of its error, as its HTTP response begins. */
    private static final Pattern CODE = Pattern.compile("^Code: (\\d+)");

    /**
     * Errors of the server's state, not of a statement: another statement fails, too (timeouts, too
     * many queries, memory, network, read-only table, no disk space, too many parts, quota; no
     * ZooKeeper, other servers of the cluster, replicas, quorum).
     */
    private static final Set<Integer> STATE = Set.of(
            159, 160, 164, 192, 193, 194, 201, 202, 209, 210, 225, 234, 241, 242, 243, 252, 254,
            279, 285, 286, 289, 319, 516, 999);

    private final Outcome outcome;

    private ClickHouseException(
            String message, int code, Outcome outcome, @Nullable Throwable cause) {
        super(message, null, code, cause);
        this.outcome = outcome;
    }

    static ClickHouseException notSent(String message, Throwable cause) {
        return new ClickHouseException(message, 0, Outcome.NOT_SENT, cause);
    }

    static ClickHouseException unknown(String message, @Nullable Throwable cause) {
        return new ClickHouseException(message, 0, Outcome.UNKNOWN, cause);
    }

    /** Returns a failure of the state of several servers, of which each may respond. */
    public static ClickHouseException away(String message) {
        return new ClickHouseException(message, 0, Outcome.NOT_SENT, null);
    }

    static ClickHouseException timeout(Duration patience, TimeoutException cause) {
        return unknown("ClickHouse: no response within " + patience.toMillis() + " ms", cause);
    }

    /** Returns the server's refusal, whose text begins with its number in most cases. */
    static ClickHouseException refused(int status, String text) {
        Matcher code = CODE.matcher(text);
        String shown = text.strip();
        return new ClickHouseException(
                "ClickHouse: " + (shown.isEmpty() ? "status " + status : shown),
                code.find() ? Integer.parseInt(code.group(1)) : -status,
                Outcome.REFUSED,
                null);
    }

    public Outcome outcome() {
        return outcome;
    }

    /** Reports whether the server did not answer in time, so that it probably hangs. */
    public boolean isTimeout() {
        return getCause() instanceof TimeoutException;
    }

    /** Reports whether the cause is the server's state, so that other statements fail, too. */
    public boolean isAway() {
        return outcome != Outcome.REFUSED || getErrorCode() < 0 || STATE.contains(getErrorCode());
    }

    /** Reports whether the server itself responded. */
    boolean isAnswered() {
        return outcome == Outcome.REFUSED && getErrorCode() >= 0;
    }

    Kind kind() {
        return switch (outcome) {
            case NOT_SENT -> Kind.CONNECTION;
            case UNKNOWN -> isTimeout() ? Kind.TIMEOUT : Kind.BROKEN;
            case REFUSED -> isAway() ? Kind.STATE : Kind.STATEMENT;
        };
    }
}
