package dev.komainu.agent.connection.tls;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of texts of which few different ones exist (server names, protocols), so that a row
 * carries an int.
 */
final class InternedTexts {

    /**
     * Largest number of texts; beyond, new texts are dropped, because a client seems to invent
     * them.
     */
    private static final int MOST = 1 << 16;

    private final Map<String, Integer> numbers = new HashMap<>();
    private final List<String> texts = new ArrayList<>();

    /** Returns the text's number; 0 for null and when there is no room. */
    int of(@Nullable String text) {
        if (text == null) {
            return 0;
        }
        Integer number = numbers.get(text);
        if (number == null) {
            if (texts.size() == MOST) {
                return 0;
            }
            texts.add(text);
            number = texts.size();
            numbers.put(text, number);
        }
        return number;
    }

    @Nullable
    String text(int number) {
        return number == 0 ? null : texts.get(number - 1);
    }
}
