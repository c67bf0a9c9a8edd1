package dev.komainu.intermediary.message;

/**
 * Requests to a cache about itself, not for content: {@code PURGE} and {@code BAN}, and the pages
 * of Squid's cache manager. A cache permits them by the address of the connection, so whoever
 * forwards one lends its own address to the client.
 */
public final class ManagementRequest {

    private static final String MANAGER_PATH = "/squid-internal-mgr";
    private static final long FORWARDING =
            Fields.mask(Field.VIA, Field.FORWARDED, Field.X_FORWARDED_FOR);

    private ManagementRequest() {}

    /**
     * Reports whether a request is one of them.
     *
     * @param path with or without its query
     */
    public static boolean is(CharSequence method, CharSequence path) {
        return "PURGE".contentEquals(method) || "BAN".contentEquals(method) || isManagerPath(path);
    }

    private static boolean isManagerPath(CharSequence path) {
        int length = MANAGER_PATH.length();
        if (path.length() < length || path.charAt(1) != 's') {
            return false;
        }
        char next = path.length() == length ? '/' : path.charAt(length);
        return (next == '/' || next == '?') && path.toString().startsWith(MANAGER_PATH);
    }

    /**
     * Reports whether another proxy has forwarded a request: the address of the connection is then
     * that proxy's, and says nothing about the client.
     */
    public static boolean isForwarded(Fields fields) {
        return fields.hasAny(FORWARDING) || fields.joined("x-real-ip") != null;
    }
}
