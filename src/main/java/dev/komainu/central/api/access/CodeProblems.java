package dev.komainu.central.api.access;

import dev.komainu.central.access.SecondFactors;
import dev.komainu.central.api.problem.Problem;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * The problems of codes that were not accepted. The service never tells to which other time a code
 * belongs: a stranger could learn by guesses which code to send later. It tells its own time, so
 * that a wrong clock is found by comparison.
 */
final class CodeProblems {

    private static final DateTimeFormatter CLOCK =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss 'UTC'", Locale.ROOT);

    private CodeProblems() {}

    /**
     * Returns the problem of a refused code.
     *
     * @param status 401 in a login, 400 in a session
     * @param now the service's clock
     */
    static Problem of(int status, SecondFactors.Check check, Instant now) {
        return switch (check) {
            case CODE, RECOVERY_CODE ->
                throw new IllegalArgumentException(check + " (expected: a refused code)");
            case WRONG -> wrong(status, now);
            case USED ->
                Problem.of(
                        status,
                        "code-used",
                        "This code was used before",
                        "Each code is accepted once. Wait until the authenticator shows the next one");
            case EXHAUSTED ->
                Problem.of(
                        status,
                        "codes-exhausted",
                        "Too many wrong codes",
                        SecondFactors.MOST_WRONG
                                + " codes in a row were wrong. Only a recovery code is accepted, or an"
                                + " administrator removes the second factor");
            case UNREADABLE ->
                Problem.of(
                        status,
                        "second-factor-unreadable",
                        "The service cannot check codes",
                        "The secret of the second factor cannot be decrypted. A recovery code works, or an"
                                + " administrator removes the second factor");
        };
    }

    static Problem wrong(int status, Instant now) {
        return Problem.of(
                status,
                "code-refused",
                "The code is wrong",
                "The clock of the service shows " + CLOCK.format(now.atOffset(ZoneOffset.UTC))
                        + ". When it or the authenticator's clock is wrong by more than 30 seconds, all codes"
                        + " are refused; a recovery code works");
    }
}
