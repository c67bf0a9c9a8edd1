package dev.komainu.central.advice;

import java.util.HashSet;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * The small formulas of the advice book: numbers, names, {@code + - * / ( )} and {@code min max
 * ceil pow2 or}.
 *
 * <p>A name that is not known is {@code NaN}, and so is everything computed from it; {@code or(a,
 * b)} is the way out. {@code pow2} is the next power of two. Names are letters, digits, {@code _ .
 * : -} and may begin with {@code $} (a setting of the server, where {@code -} belongs to the name).
 * Pure.
 */
final class Arithmetic {

    private final String text;
    private final ToDoubleFunction<String> names;
    private int at;

    private Arithmetic(String text, ToDoubleFunction<String> names) {
        this.text = text;
        this.names = names;
    }

    /** @throws IllegalArgumentException naming the position where the formula is not one */
    static double compute(String formula, ToDoubleFunction<String> names) {
        Arithmetic reader = new Arithmetic(formula, names);
        double value = reader.sum();
        if (reader.peek() != 0) {
            throw reader.malformed("the end");
        }
        return value;
    }

    /** Every name a formula looks up. */
    static Set<String> namesIn(String formula) {
        Set<String> seen = new HashSet<>();
        compute(formula, name -> {
            seen.add(name);
            return 1;
        });
        return seen;
    }

    private double sum() {
        double value = product();
        while (peek() == '+' || peek() == '-') {
            value = text.charAt(at++) == '+' ? value + product() : value - product();
        }
        return value;
    }

    private double product() {
        double value = factor();
        while (peek() == '*' || peek() == '/') {
            value = text.charAt(at++) == '*' ? value * factor() : value / factor();
        }
        return value;
    }

    private double factor() {
        char first = peek();
        if (first == '(') {
            at++;
            double value = sum();
            expect(')');
            return value;
        }
        if (Character.isDigit(first)) {
            int from = at;
            while (at < text.length()
                    && (Character.isDigit(text.charAt(at)) || text.charAt(at) == '.')) {
                at++;
            }
            return Double.parseDouble(text.substring(from, at));
        }
        if (first == '$' || Character.isLetter(first)) {
            String name = name();
            return peek() == '(' ? call(name) : names.applyAsDouble(name);
        }
        throw malformed("a number, a name or (");
    }

    private double call(String function) {
        expect('(');
        double first = sum();
        if (function.equals("ceil") || function.equals("pow2")) {
            expect(')');
            return function.equals("ceil") ? Math.ceil(first) : pow2(first);
        }
        expect(',');
        double second = sum();
        expect(')');
        return switch (function) {
            case "min" -> Math.min(first, second);
            case "max" -> Math.max(first, second);
            case "or" -> Double.isNaN(first) ? second : first;
            default -> throw malformed("min, max, ceil, pow2 or or instead of " + function);
        };
    }

    private static double pow2(double value) {
        if (Double.isNaN(value)) {
            return value;
        }
        double power = 1;
        while (power < value && power < 1L << 40) {
            power *= 2;
        }
        return power;
    }

    private String name() {
        int from = at;
        boolean setting = text.charAt(at) == '$';
        at++;
        while (at < text.length()) {
            char c = text.charAt(at);
            if (!Character.isLetterOrDigit(c)
                    && c != '_'
                    && c != '.'
                    && c != ':'
                    && !(setting && c == '-')) {
                break;
            }
            at++;
        }
        return text.substring(from, at);
    }

    private void expect(char wanted) {
        if (peek() != wanted) {
            throw malformed("'" + wanted + "'");
        }
        at++;
    }

    private char peek() {
        while (at < text.length() && text.charAt(at) == ' ') {
            at++;
        }
        return at < text.length() ? text.charAt(at) : 0;
    }

    private IllegalArgumentException malformed(String expected) {
        return new IllegalArgumentException(
                "formula: " + text + " at " + at + " (expected: " + expected + ")");
    }
}
