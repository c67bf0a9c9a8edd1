package dev.komainu.agent.connection.tls;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The unencrypted content of a ClientHello or ServerHello (RFC 8446 4.1, RFC 6066 3, RFC 7301). A
 * cut or broken one has the values that came before the break.
 *
 * @param version negotiated version as on the wire, 0x0304 for 1.3; 0 in a ClientHello and where
 *     the break hides it
 * @param sni requested server name, absent in a ServerHello
 * @param cipher chosen suite; 0 in a ClientHello
 * @param isRetry whether this is a HelloRetryRequest: another ClientHello and ServerHello follow
 * @param alpn offered protocols, or the chosen one; none where it is encrypted
 */
record TlsHello(
        int version, int cipher, boolean isRetry, @Nullable String sni, List<String> alpn) {

    static final int CLIENT = 1;
    static final int SERVER = 2;

    private static final int SERVER_NAME = 0;
    private static final int ALPN = 16;
    private static final int SUPPORTED_VERSIONS = 43;
    private static final int HEADER = 4;
    private static final int LEGACY_VERSION = 0x0303;
    private static final int LONGEST_TEXT = 255;
    private static final int MOST_PROTOCOLS = 8;
    /** The random of a HelloRetryRequest: SHA-256 of these letters (RFC 8446 4.1.3). */
    private static final byte[] RETRY = HexFormat.of()
            .parseHex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c");

    /** Reads a handshake message that begins at {@code from} with its type and 24-bit length. */
    static TlsHello read(byte[] bytes, int from, int end) {
        Cursor at = new Cursor(bytes, from, end);
        int type = at.number(1);
        boolean cut = at.number(3) > end - from - HEADER;
        int version = at.number(2);
        boolean retry = type == SERVER && at.isNext(RETRY);
        at.skip(32);
        at.skip(at.number(1));
        int cipher = 0;
        if (type == CLIENT) {
            at.skip(at.number(2));
            at.skip(at.number(1));
        } else {
            cipher = at.number(2);
            at.skip(1);
        }
        at.skip(2);
        String sni = null;
        List<String> alpn = new ArrayList<>();
        while (at.left() >= 4) {
            int extension = at.number(2);
            int length = at.number(2);
            int next = at.at + length;
            if (extension == SERVER_NAME && type == CLIENT && length > 5) {
                at.skip(3);
                sni = at.text(at.number(2));
            } else if (extension == ALPN && length > 3) {
                protocols(at, alpn);
            } else if (extension == SUPPORTED_VERSIONS && type == SERVER && length == 2) {
                version = at.number(2);
            }
            at.at = next;
        }
        if (cut && version == LEGACY_VERSION) {
            // The extension with the version of 1.3 is missing.
            version = 0;
        }
        return new TlsHello(type == SERVER ? version : 0, cipher, retry, sni, List.copyOf(alpn));
    }

    private static void protocols(Cursor at, List<String> into) {
        int end = Math.min(at.number(2) + at.at, at.end);
        while (at.at < end && into.size() < MOST_PROTOCOLS) {
            String protocol = at.text(at.number(1));
            if (protocol == null || protocol.indexOf(',') >= 0) {
                return;
            }
            into.add(protocol);
            at.skip(protocol.length());
        }
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

        boolean isNext(byte[] expected) {
            return left() >= expected.length
                    && Arrays.equals(bytes, at, at + expected.length, expected, 0, expected.length);
        }

        /** Reads a big-endian number; zero beyond the end. */
        int number(int size) {
            int value = 0;
            for (int i = 0; i < size; i++, at++) {
                value = value << 8 | (at < end ? bytes[at] & 0xff : 0);
            }
            return value;
        }

        /** Reads a text; null when cut, too long or with other than printable characters. */
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
