package dev.komainu.central.advice;

import java.util.HashSet;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * The formulas of the advice catalogue: numbers, names, {@code + - * / ( )} and {@code min max ceil
 * pow2 or}.
 *
 * <p>An unknown name is {@code NaN}, and so is every result computed from it; {@code or(a, b)}
 * replaces an unknown {@code a}. {@code pow2} is the next power of two. Names are letters, digits,
 * {@code _ . : -} and may begin with {@code $} (a setting of the server, where {@code -} belongs to
 * the name). Pure.
 */
final class Arithmetic {

    private final String text;
    private final ToDoubleFunction<String> names;
    private int position;

    private Arithmetic(String text, ToDoubleFunction<String> names) {
        this.text = text;
        this.names = names;
    }

    /**
     * Computes a formula.
     *
     * @throws IllegalArgumentException naming the position of a syntax error
     */
    static double compute(String formula, ToDoubleFunction<String> names) {
        Arithmetic reader = new Arithmetic(formula, names);
        double value = reader.sum();
        if (reader.peek() != 0) {
            throw reader.malformed("the end");
        }
        return value;
    }

    /** Returns every name that a formula reads. */
    static Set<String> namesIn(String formula) {
        Set<String> names = new HashSet<>();
        compute(formula, name -> {
            names.add(name);
            return 1;
        });
        return names;
    }

    private double sum() {
        double value = product();
        while (peek() == '+' || peek() == '-') {
            value = text.charAt(position++) == '+' ? value + product() : value - product();
        }
        return value;
    }

    private double product() {
        double value = factor();
        while (peek() == '*' || peek() == '/') {
            value = text.charAt(position++) == '*' ? value * factor() : value / factor();
        }
        return value;
    }

    private double factor() {
        char first = peek();
        if (first == '(') {
            position++;
            double value = sum();
            expect(')');
            return value;
        }
        if (Character.isDigit(first)) {
            int from = position;
            while (position < text.length()
                    && (Character.isDigit(text.charAt(position)) || text.charAt(position) == '.')) {
                position++;
            }
            return Double.parseDouble(text.substring(from, position));
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
        int from = position;
        boolean setting = text.charAt(position) == '$';
        position++;
        while (position < text.length()) {
            char c = text.charAt(position);
            if (!Character.isLetterOrDigit(c)
                    && c != '_'
                    && c != '.'
                    && c != ':'
                    && !(setting && c == '-')) {
                break;
            }
            position++;
        }
        return text.substring(from, position);
    }

    private void expect(char expected) {
        if (peek() != expected) {
            throw malformed("'" + expected + "'");
        }
        position++;
    }

    private char peek() {
        while (position < text.length() && text.charAt(position) == ' ') {
            position++;
        }
        return position < text.length() ? text.charAt(position) : 0;
    }

    private IllegalArgumentException malformed(String expected) {
        return new IllegalArgumentException(
                "formula: " + text + " at " + position + " (expected: " + expected + ")");
    }
}
