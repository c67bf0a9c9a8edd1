package dev.komainu.organizer.page;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The hint in a request to a member that may push: it says that the sender accepts pushes, and
 * reports the outcomes of former pushes by their numbers.
 *
 * <pre>
 * hint    = "1" / part *( ";" part )
 * part    = ( "u" / "l" / "h" ) "=" number *( "." number )     used, left unused, held now
 * number  = 1*13( 0-9 / a-v )                                   base 32
 * </pre>
 *
 * <p>At most {@value #MAX_NUMBERS} numbers of a kind are written and read. An unreadable part is
 * ignored: the result is one push too many or too few.
 *
 * @param used pushes that a client requested
 * @param unused pushes that no client requested while they were stored
 * @param stored pushes of the requested page that are stored and fresh
 */
public record PageRequestHint(List<Long> used, List<Long> unused, List<Long> stored) {

    /** Maximum of numbers of one kind. */
    public static final int MAX_NUMBERS = 64;

    public static final PageRequestHint NOTHING =
            new PageRequestHint(List.of(), List.of(), List.of());

    private static final int RADIX = 32;
    private static final int MAX_DIGITS = 13;

    public PageRequestHint {
        used = List.copyOf(used);
        unused = List.copyOf(unused);
        stored = List.copyOf(stored);
    }

    /** Returns the field value. */
    public String text() {
        StringBuilder out = new StringBuilder();
        part(out, 'u', used);
        part(out, 'l', unused);
        part(out, 'h', stored);
        return out.isEmpty() ? "1" : out.toString();
    }

    private static void part(StringBuilder out, char kind, List<Long> numbers) {
        for (int i = 0; i < Math.min(MAX_NUMBERS, numbers.size()); i++) {
            if (i == 0) {
                out.append(out.isEmpty() ? "" : ";").append(kind).append('=');
            } else {
                out.append('.');
            }
            out.append(text(numbers.get(i)));
        }
    }

    /** Returns a push number as it is sent. */
    public static String text(long number) {
        return Long.toString(number, RADIX);
    }

    /** Parses a push number; negative: it is invalid. */
    public static long number(CharSequence text) {
        int length = text.length();
        if (length == 0 || length > MAX_DIGITS) {
            return -1;
        }
        long number = 0;
        for (int i = 0; i < length; i++) {
            int digit = Character.digit(text.charAt(i), RADIX);
            if (digit < 0 || number > Long.MAX_VALUE >> 5) {
                return -1;
            }
            number = number << 5 | digit;
        }
        return number;
    }

    /** Parses a field value. Never fails. */
    public static PageRequestHint parse(@Nullable CharSequence value) {
        if (value == null || value.length() < 3) {
            return NOTHING;
        }
        List<Long> used = new ArrayList<>();
        List<Long> unused = new ArrayList<>();
        List<Long> stored = new ArrayList<>();
        for (String part : value.toString().split(";")) {
            List<Long> target =
                    part.startsWith("u=") ? used : part.startsWith("l=") ? unused : stored;
            if (target == stored && !part.startsWith("h=")) {
                continue;
            }
            for (String text : part.substring(2).split("\\.")) {
                long number = number(text);
                if (number >= 0 && target.size() < MAX_NUMBERS) {
                    target.add(number);
                }
            }
        }
        return new PageRequestHint(used, unused, stored);
    }
}
