package dev.komainu.agent.host.linux;

import org.jspecify.annotations.Nullable;

/**
 * {@code /proc/pressure/*} (PSI): share of the last ten seconds in which tasks waited for a
 * resource, percent, 0 to 100.
 *
 * @param some share in which at least one task waited
 * @param full share in which all non-idle tasks waited; absent when the kernel does not report it
 *     (CPU before 5.13)
 */
public record PressureStall(double some, @Nullable Double full) {

    private static final byte[] SOME = NamedCounters.bytes("some ");
    private static final byte[] FULL = NamedCounters.bytes("full ");
    private static final byte[] TEN_SECONDS = NamedCounters.bytes("avg10=");

    /** Parses the file; null when the text has no pressure. */
    public static @Nullable PressureStall parse(@Nullable KernelFileText text) {
        if (text == null || text.isEmpty()) {
            return null;
        }
        Double some = null;
        Double full = null;
        text.rewind();
        do {
            if (text.accept(SOME)) {
                some = percent(text);
            } else if (text.accept(FULL)) {
                full = percent(text);
            }
        } while (text.nextLine());
        return some == null ? null : new PressureStall(some, full);
    }

    private static @Nullable Double percent(KernelFileText text) {
        text.skipBlanks();
        if (!text.accept(TEN_SECONDS)) {
            return null;
        }
        double value = text.fraction();
        return value >= 0 && value <= 100 ? value : null;
    }
}
