package dev.komainu.intermediary.message;

/** The grammar of Host and of a target's authority (RFC 9110 section 7.2, RFC 3986 section 3.2). */
final class AuthorityGrammar {

    private AuthorityGrammar() {}

    /**
     * Reports whether the bytes are {@code uri-host [ ":" port ]}. User information is rejected
     * (RFC 9110 section 4.2.4).
     */
    static boolean valid(byte[] bytes, int from, int count) {
        if (count == 0 || count > 255 + 6) {
            return false;
        }
        int end = from + count;
        int hostEnd = end;
        boolean bracketed = bytes[from] == '[';
        if (bracketed) {
            hostEnd = addressEnd(bytes, from + 1, end);
            if (hostEnd < 0) {
                return false;
            }
        } else {
            for (int p = from; p < end; p++) {
                byte c = bytes[p];
                if (!Ascii.host(c)
                        || (c == '%' && !(hex(bytes, p + 1, end) && hex(bytes, p + 2, end)))) {
                    return false;
                }
                if (c == ':') {
                    hostEnd = p;
                    break;
                }
            }
        }
        if (hostEnd == from) {
            return false;
        }
        if (hostEnd == end) {
            return true;
        }
        long port = Ascii.decimal(bytes, hostEnd + 1, end - hostEnd - 1);
        return bytes[hostEnd] == ':' && port >= 1 && port <= 65_535;
    }

    /**
     * Reports whether a valid authority has a port, as CONNECT requires (RFC 9112 section 3.2.3).
     */
    static boolean hasPort(byte[] bytes, int from, int count) {
        for (int p = from + count - 1; p > from && bytes[p] != ']'; p--) {
            if (bytes[p] == ':') {
                return true;
            }
        }
        return false;
    }

    /**
     * Parses {@code [IPv6address]} (RFC 3986 section 3.2.2), without a zone.
     *
     * @return the index behind the bracket, or -1
     */
    private static int addressEnd(byte[] bytes, int from, int end) {
        int colons = 0;
        for (int p = from; p < end; p++) {
            byte c = bytes[p];
            if (c == ']') {
                return colons >= 2 ? p + 1 : -1;
            }
            colons += c == ':' ? 1 : 0;
            if (c != ':' && c != '.' && !hex(bytes, p, end)) {
                return -1;
            }
        }
        return -1;
    }

    private static boolean hex(byte[] bytes, int index, int end) {
        return index < end && bytes[index] >= 0 && Character.digit(bytes[index], 16) >= 0;
    }
}
