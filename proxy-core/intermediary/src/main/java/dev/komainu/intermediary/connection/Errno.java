package dev.komainu.intermediary.connection;

import io.netty.channel.unix.Errors.NativeIoException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The kernel's error number of a failed socket operation, as Linux numbers them. Its text is no use
 * to a program: the C library writes it in the user's language.
 */
public final class Errno {

    /** The kernel's table of open files is full. */
    public static final int ENFILE = 23;
    /** This process has as many files open as it may. */
    public static final int EMFILE = 24;

    public static final int EPIPE = 32;
    public static final int ENETUNREACH = 101;
    public static final int ECONNRESET = 104;
    public static final int ETIMEDOUT = 110;
    public static final int ECONNREFUSED = 111;
    public static final int EHOSTUNREACH = 113;

    /** Netty's exceptions of connecting have no field for it. */
    private static final Pattern ERROR_NUMBER = Pattern.compile("failed with error\\(-([0-9]{1,4})\\)");

    private Errno() {}

    /** @return 0 where none is told: the JDK's own sockets tell the text only */
    public static int of(Throwable cause) {
        if (cause instanceof NativeIoException nativeError) {
            return Math.abs(nativeError.expectedErr());
        }
        Matcher number = ERROR_NUMBER.matcher(String.valueOf(cause.getMessage()));
        return number.find() ? Integer.parseInt(number.group(1)) : 0;
    }

    /**
     * Whether there was no file descriptor left. Of the JDK's own sockets it is known in English
     * only.
     */
    public static boolean isOutOfDescriptors(Throwable cause) {
        int number = of(cause);
        return number == EMFILE
                || number == ENFILE
                || number == 0
                        && String.valueOf(cause.getMessage()).contains("Too many open files");
    }
}
