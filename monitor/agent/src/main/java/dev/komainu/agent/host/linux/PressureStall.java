package dev.komainu.agent.host.linux;

import org.jspecify.annotations.Nullable;

/** {@code /proc/pressure/*} (PSI): time some task waited for a resource. */
public final class PressureStall {

    private PressureStall() {}

    /** "some" over ten seconds in percent, 0 to 100; null when the text has none. */
    public static @Nullable Double some10(@Nullable String text) {
        if (text == null || !text.startsWith("some ")) {
            return null;
        }
        int at = text.indexOf("avg10=");
        int end = at < 0 ? -1 : text.indexOf(' ', at);
        Double value = end < 0 ? null : Digits.fraction(text.substring(at + 6, end));
        return value == null || value > 100 ? null : value;
    }
}
