package dev.komainu.agent.host.linux;

import java.util.Locale;

/**
 * {@code /proc/PID/task/TID/syscall}: the call in which a thread is blocked, with its arguments
 * (proc(5)).
 *
 * <pre>
 *  running
 *  -1 0x7ffd… 0x7f0a…                     blocked, but in no call
 *  7 0x7ffd… 0x1 0x1388 0x0 0x0 0x0 0x7ffd… 0x7f0a…   number, six arguments, stack, instruction
 * </pre>
 *
 * For any text, no method throws.
 *
 * @param number {@link #RUNNING}, {@link #NO_CALL}, {@link #UNREADABLE} or the call's number
 * @param first first argument; 0 without a call, as the others
 */
record SystemCallLine(long number, long first, long second, long third) {

    static final long NO_CALL = -1;
    static final long RUNNING = -2;
    static final long UNREADABLE = -3;

    private static final byte[] RUNS = NamedCounters.bytes("running");
    private static final int MOST_DIGITS = 16;

    static SystemCallLine parse(KernelFileText text) {
        text.rewind();
        if (text.accept(RUNS)) {
            return new SystemCallLine(RUNNING, 0, 0, 0);
        }
        if (text.peek() == '-') {
            return new SystemCallLine(NO_CALL, 0, 0, 0);
        }
        long number = text.number(UNREADABLE);
        if (number < 0) {
            return new SystemCallLine(UNREADABLE, 0, 0, 0);
        }
        return new SystemCallLine(number, argument(text), argument(text), argument(text));
    }

    private static long argument(KernelFileText text) {
        String word = text.word().toLowerCase(Locale.ROOT);
        return word.startsWith("0x") && word.length() <= 2 + MOST_DIGITS
                ? DecimalCounters.hex(word, 2, word.length(), 0)
                : 0;
    }
}
