package dev.komainu.central.advice;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A parser for values as configurations write them: {@code 256}, {@code 75s}, {@code 1m30s},
 * {@code 2 minutes}, {@code 256 MB}, {@code unlimited}. Pure.
 */
final class Quantity {

    private static final Pattern PART =
            Pattern.compile("\\G\\s*([0-9]+(?:\\.[0-9]+)?)\\s*([a-zA-Z]*)");

    /** The unit of a value; a number without a unit is in this unit. */
    enum Unit {
        COUNT,
        SECONDS,
        MILLISECONDS,
        BYTES,
        MEGABYTES
    }

    private Quantity() {}

    /**
     * Parses a value into the unit; infinite for {@code unlimited}, {@code NaN} for a text that is
     * no quantity.
     */
    static double parse(@Nullable String written, Unit unit) {
        if (written == null) {
            return Double.NaN;
        }
        if (written.strip().matches("(?i)unlimited|infinity")) {
            return Double.POSITIVE_INFINITY;
        }
        Matcher matcher = PART.matcher(written);
        double sum = Double.NaN;
        while (matcher.find()) {
            double value = Double.parseDouble(matcher.group(1)) * factor(matcher.group(2), unit);
            sum = Double.isNaN(sum) ? value : sum + value;
            if (unit == Unit.COUNT) {
                break;
            }
        }
        return sum;
    }

    private static double factor(String suffix, Unit unit) {
        if (suffix.isEmpty()) {
            return 1;
        }
        String word = suffix.toLowerCase(Locale.ROOT);
        return switch (unit) {
            case COUNT -> 1;
            case SECONDS -> seconds(word);
            case MILLISECONDS -> seconds(word) * 1_000;
            case BYTES -> bytes(word);
            case MEGABYTES -> bytes(word) / (1 << 20);
        };
    }

    private static double seconds(String word) {
        return switch (word) {
            case "us" -> 1e-6;
            case "ms", "millisecond", "milliseconds" -> 1e-3;
            case "s", "sec", "second", "seconds" -> 1;
            case "m", "min", "minute", "minutes" -> 60;
            case "h", "hour", "hours" -> 3_600;
            case "d", "day", "days" -> 86_400;
            default -> Double.NaN;
        };
    }

    private static double bytes(String word) {
        return switch (word) {
            case "b", "bytes" -> 1;
            case "k", "kb" -> 1L << 10;
            case "m", "mb" -> 1L << 20;
            case "g", "gb" -> 1L << 30;
            case "t", "tb" -> 1L << 40;
            default -> Double.NaN;
        };
    }
}
