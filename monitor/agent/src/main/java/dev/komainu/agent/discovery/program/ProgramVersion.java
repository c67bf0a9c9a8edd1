package dev.komainu.agent.discovery.program;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The leading numbers of a version, such as 2, 6, 12 of {@code 2.6.12-1+deb12u4}; missing numbers
 * count as 0.
 */
public record ProgramVersion(List<Integer> numbers) implements Comparable<ProgramVersion> {

    private static final Pattern HEAD =
            Pattern.compile("(\\d{1,8})(?:\\.(\\d{1,8}))?(?:\\.(\\d{1,8}))?(?:\\.(\\d{1,8}))?");

    public ProgramVersion {
        numbers = List.copyOf(numbers);
    }

    /** Parses a version; null when the text does not begin with a number. */
    public static @Nullable ProgramVersion parse(@Nullable String text) {
        Matcher matcher = HEAD.matcher(text == null ? "" : text);
        if (!matcher.lookingAt()) {
            return null;
        }
        List<Integer> numbers = new ArrayList<>();
        for (int i = 1; i <= matcher.groupCount(); i++) {
            String number = matcher.group(i);
            if (number != null) {
                numbers.add(Integer.parseInt(number));
            }
        }
        return new ProgramVersion(numbers);
    }

    /**
     * Parses a version that is a constant of this program.
     *
     * @param text such as {@code 1.19.10}
     */
    public static ProgramVersion of(String text) {
        ProgramVersion version = parse(text);
        if (version == null) {
            throw new IllegalArgumentException("version: " + text + " (expected: 1.2.3)");
        }
        return version;
    }

    @Override
    public int compareTo(ProgramVersion other) {
        for (int i = 0; i < Math.max(numbers.size(), other.numbers.size()); i++) {
            int order = Integer.compare(at(i), other.at(i));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /** Reports whether this version is {@code text} or newer. */
    public boolean isAtLeast(String text) {
        return compareTo(of(text)) >= 0;
    }

    private int at(int index) {
        return index < numbers.size() ? numbers.get(index) : 0;
    }
}
