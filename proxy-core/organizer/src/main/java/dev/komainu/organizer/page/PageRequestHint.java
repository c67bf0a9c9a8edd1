package dev.komainu.organizer.page;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an asker says beside a request, to the member that may push: that it takes pushes, and what
 * became of former ones, by their numbers.
 *
 * <pre>
 *   word    = "1" / part *( ";" part )
 *   part    = ( "u" / "l" / "h" ) "=" number *( "." number )     used, left unused, at hand now
 *   number  = 1*13( 0-9 / a-v )                                   base 32
 * </pre>
 *
 * <p>At most {@value #MOST} numbers of a kind are written, and read. What cannot be read says
 * nothing: it costs a push too many, or one too few.
 *
 * @param used somebody asked for them
 * @param left nobody did within their life
 * @param held of the page that is asked for: at hand, and fresh
 */
public record PageRequestHint(List<Long> used, List<Long> left, List<Long> held) {

    /** Numbers of a kind. */
    public static final int MOST = 64;

    public static final PageRequestHint NOTHING =
            new PageRequestHint(List.of(), List.of(), List.of());

    private static final int RADIX = 32;
    private static final int LONGEST = 13;

    public PageRequestHint {
        used = List.copyOf(used);
        left = List.copyOf(left);
        held = List.copyOf(held);
    }

    /** As it is sent. */
    public String text() {
        StringBuilder out = new StringBuilder();
        part(out, 'u', used);
        part(out, 'l', left);
        part(out, 'h', held);
        return out.isEmpty() ? "1" : out.toString();
    }

    private static void part(StringBuilder out, char kind, List<Long> numbers) {
        for (int i = 0; i < Math.min(MOST, numbers.size()); i++) {
            if (i == 0) {
                out.append(out.isEmpty() ? "" : ";").append(kind).append('=');
            } else {
                out.append('.');
            }
            out.append(text(numbers.get(i)));
        }
    }

    /** A number as it is sent. */
    public static String text(long number) {
        return Long.toString(number, RADIX);
    }

    /** @return negative: it is none */
    public static long number(CharSequence text) {
        int length = text.length();
        if (length == 0 || length > LONGEST) {
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

    /** Never fails. */
    public static PageRequestHint parse(@Nullable CharSequence said) {
        if (said == null || said.length() < 3) {
            return NOTHING;
        }
        List<Long> used = new ArrayList<>();
        List<Long> left = new ArrayList<>();
        List<Long> held = new ArrayList<>();
        for (String part : said.toString().split(";")) {
            List<Long> into = part.startsWith("u=") ? used : part.startsWith("l=") ? left : held;
            if (into == held && !part.startsWith("h=")) {
                continue;
            }
            for (String text : part.substring(2).split("\\.")) {
                long number = number(text);
                if (number >= 0 && into.size() < MOST) {
                    into.add(number);
                }
            }
        }
        return new PageRequestHint(used, left, held);
    }
}
