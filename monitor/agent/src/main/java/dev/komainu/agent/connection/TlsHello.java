package dev.komainu.agent.connection;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What a ClientHello or ServerHello says in the clear (RFC 8446 4.1, RFC 6066 3, RFC 7301). A cut or broken one says what
 * came before the break.
 *
 * @param version negotiated version as on the wire, 0x0304 for 1.3; 0 in a ClientHello
 * @param sni server name asked for, absent in a ServerHello
 * @param alpn protocol chosen, absent in a ClientHello and where it is encrypted
 */
record TlsHello(int version, @Nullable String sni, @Nullable String alpn) {

    static final int CLIENT = 1;
    static final int SERVER = 2;

    private static final int SERVER_NAME = 0;
    private static final int ALPN = 16;
    private static final int SUPPORTED_VERSIONS = 43;
    private static final int LONGEST_TEXT = 255;

    /** Reads bytes of a handshake message that begins at {@code from} with its type and 24-bit length. */
    static TlsHello read(byte[] bytes, int from, int end) {
        Cursor at = new Cursor(bytes, from, end);
        int type = at.number(1);
        at.skip(3);
        int version = at.number(2);
        at.skip(32);
        at.skip(at.number(1));
        if (type == CLIENT) {
            at.skip(at.number(2));
            at.skip(at.number(1));
        } else {
            at.skip(3);
        }
        at.skip(2);
        String sni = null;
        String alpn = null;
        while (at.left() >= 4) {
            int extension = at.number(2);
            int length = at.number(2);
            int next = at.at + length;
            if (extension == SERVER_NAME && type == CLIENT && length > 5) {
                at.skip(3);
                sni = at.text(at.number(2));
            } else if (extension == ALPN && type == SERVER && length > 3) {
                at.skip(2);
                alpn = at.text(at.number(1));
            } else if (extension == SUPPORTED_VERSIONS && type == SERVER && length == 2) {
                version = at.number(2);
            }
            at.at = next;
        }
        return new TlsHello(type == SERVER ? version : 0, sni, alpn);
    }

    private static final class Cursor {
        private final byte[] bytes;
        private final int end;
        private int at;

        Cursor(byte[] bytes, int at, int end) {
            this.bytes = bytes;
            this.at = at;
            this.end = end;
        }

        int left() {
            return end - at;
        }

        void skip(int count) {
            at += count;
        }

        /** Big-endian; zero beyond the end. */
        int number(int size) {
            int value = 0;
            for (int i = 0; i < size; i++, at++) {
                value = value << 8 | (at < end ? bytes[at] & 0xff : 0);
            }
            return value;
        }

        /** Absent when cut, too long or with other than printable characters. */
        @Nullable
        String text(int length) {
            if (length == 0 || length > LONGEST_TEXT || length > left()) {
                return null;
            }
            for (int i = at; i < at + length; i++) {
                if (bytes[i] <= ' ' || bytes[i] == 0x7f) {
                    return null;
                }
            }
            return new String(bytes, at, length, StandardCharsets.US_ASCII);
        }
    }
}
