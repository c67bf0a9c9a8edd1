package dev.komainu.central.access;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.zip.GZIPInputStream;

/**
 * The rules for a new password (NIST SP 800-63B section 3.1.1.2): long enough, not one of the most
 * common passwords, not one of these with digits or signs around it, not the user's name, not one
 * run. The list of about 37,000 common passwords is read from its file for each check, so that it
 * takes no heap between checks; a check takes some milliseconds.
 */
public final class PasswordRules {

    /** Shortest password, in characters. */
    public static final int LEAST = 10;

    private static final String LIST = "/access/common-passwords.txt.gz";
    /** Rows of keyboards and alphabets; a password that only walks along them is one run. */
    private static final Set<String> ROWS = Set.of(
            "abcdefghijklmnopqrstuvwxyz",
            "01234567890",
            "qwertyuiop",
            "asdfghjkl",
            "zxcvbnm",
            "qwertzuiop",
            "yxcvbnm",
            "azertyuiop",
            "qsdfghjklm",
            "wxcvbn",
            "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p");
    /** Shortest part of a run: two such parts side by side are still recognised. */
    private static final int LEAST_RUN = 3;

    private static final int LEAST_VARIETY = 4;
    /** Shortest common word that counts inside digits and signs. */
    private static final int LEAST_WORD = 4;
    /** Most digits and signs around a common word; more of them are a password of their own. */
    private static final int MOST_AROUND = 8;

    private PasswordRules() {}

    /** Returns what a password should be instead; empty when it may be used. */
    public static Optional<String> fault(String password, String name) {
        int bytes = password.getBytes(StandardCharsets.UTF_8).length;
        if (password.length() < LEAST || bytes > Users.MOST_PASSWORD_BYTES) {
            return Optional.of(LEAST + " characters to " + Users.MOST_PASSWORD_BYTES + " bytes");
        }
        String lower = password.toLowerCase(Locale.ROOT);
        String core = trimmed(lower);
        if (lower.equals(name) || core.equals(trimmed(name))) {
            return Optional.of("a password other than the user's name");
        }
        if (lower.chars().distinct().count() < LEAST_VARIETY) {
            return Optional.of("at least " + LEAST_VARIETY + " different characters");
        }
        if (repeats(lower)) {
            return Optional.of("a password that does not repeat one part");
        }
        if (isRun(lower)) {
            return Optional.of("a password that is not a row of the keyboard or the alphabet");
        }
        return isCommon(lower, core)
                ? Optional.of("a password that is not among the most common ones")
                : Optional.empty();
    }

    /** Returns the text without the digits and signs around it: {@code 123password!} is a word. */
    private static String trimmed(String text) {
        return text.replaceAll("^[^\\p{L}]+|[^\\p{L}]+$", "");
    }

    private static boolean repeats(String text) {
        for (int length = 1; length <= text.length() / 2; length++) {
            String part = text.substring(0, length);
            if (part.repeat(text.length() / length + 1).startsWith(text)) {
                return true;
            }
        }
        return false;
    }

    /** Reports whether the text consists of pieces of rows only, forwards or backwards. */
    private static boolean isRun(String text) {
        int at = 0;
        while (at < text.length()) {
            int length = longestPiece(text, at);
            if (length < LEAST_RUN) {
                return false;
            }
            at += length;
        }
        return true;
    }

    private static int longestPiece(String text, int at) {
        int longest = 0;
        for (String row : ROWS) {
            String back = new StringBuilder(row).reverse().toString();
            int length = LEAST_RUN;
            while (at + length <= text.length()
                    && (row.contains(text.substring(at, at + length))
                            || back.contains(text.substring(at, at + length)))) {
                longest = Math.max(longest, length);
                length++;
            }
        }
        return longest;
    }

    private static boolean isCommon(String lower, String core) {
        Set<String> sought = new HashSet<>(Set.of(lower));
        if (core.length() >= LEAST_WORD && lower.length() - core.length() <= MOST_AROUND) {
            sought.add(core);
        }
        try (InputStream file = Objects.requireNonNull(
                        PasswordRules.class.getResourceAsStream(LIST), LIST);
                BufferedReader lines = new BufferedReader(
                        new InputStreamReader(new GZIPInputStream(file), StandardCharsets.UTF_8))) {
            return lines.lines().anyMatch(sought::contains);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
