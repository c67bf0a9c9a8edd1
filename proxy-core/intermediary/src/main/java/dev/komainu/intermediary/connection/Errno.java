package dev.komainu.intermediary.connection;

import io.netty.channel.unix.Errors.NativeIoException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The error number of a failed socket operation, as Linux numbers it. Programs cannot use the error
 * text: the C library writes it in the user's language.
 */
public final class Errno {

    /** The kernel's table of open files is full. */
    public static final int ENFILE = 23;
    /** The process has reached its limit of open files. */
    public static final int EMFILE = 24;

    public static final int EPIPE = 32;
    /** No local port is free for a connection. */
    public static final int EADDRNOTAVAIL = 99;

    public static final int ENETUNREACH = 101;
    public static final int ECONNRESET = 104;
    public static final int ETIMEDOUT = 110;
    public static final int ECONNREFUSED = 111;
    public static final int EHOSTUNREACH = 113;

    /** Netty's connect exceptions contain the number in their text only. */
    private static final Pattern ERROR_NUMBER =
            Pattern.compile("failed with error\\(-([0-9]{1,4})\\)");

    private Errno() {}

    /**
     * Returns the error number of an exception.
     *
     * @return 0 when the exception contains none: the JDK's sockets report only a text
     */
    public static int of(Throwable cause) {
        if (cause instanceof NativeIoException nativeError) {
            return Math.abs(nativeError.expectedErr());
        }
        Matcher number = ERROR_NUMBER.matcher(String.valueOf(cause.getMessage()));
        return number.find() ? Integer.parseInt(number.group(1)) : 0;
    }

    /** Reports whether no local port was left. For Netty's own sockets only. */
    public static boolean isOutOfPorts(Throwable cause) {
        return of(cause) == EADDRNOTAVAIL;
    }

    /**
     * Reports whether no file descriptor was left. For the JDK's sockets only an English text is
     * recognized.
     */
    public static boolean isOutOfDescriptors(Throwable cause) {
        int number = of(cause);
        return number == EMFILE
                || number == ENFILE
                || (number == 0
                        && String.valueOf(cause.getMessage()).contains("Too many open files"));
    }
}
