package dev.komainu.proxy.http;

/** The grammar of Host and of a target's authority (RFC 9110 section 7.2, RFC 3986 section 3.2). */
final class Authority {

    private Authority() {}

    /** {@code uri-host [ ":" port ]}; user information is refused (RFC 9110 section 4.2.4). */
    static boolean valid(byte[] bytes, int from, int count) {
        if (count == 0 || count > 255 + 6) {
            return false;
        }
        int end = from + count;
        int hostEnd = end;
        boolean bracketed = bytes[from] == '[';
        for (int p = from; p < end; p++) {
            byte c = bytes[p];
            if (!Ascii.host(c) || (c == '[' && p != from)) {
                return false;
            }
            if (bracketed ? c == ']' : c == ':') {
                hostEnd = bracketed ? p + 1 : p;
                break;
            }
        }
        if (hostEnd == from || bracketed && bytes[hostEnd - 1] != ']') {
            return false;
        }
        if (hostEnd == end) {
            return true;
        }
        long port = Ascii.decimal(bytes, hostEnd + 1, end - hostEnd - 1);
        return bytes[hostEnd] == ':' && port >= 1 && port <= 65_535;
    }
}
