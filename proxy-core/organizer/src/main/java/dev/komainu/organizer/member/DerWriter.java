package dev.komainu.organizer.member;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Writer of DER (X.690): tag, length, contents. It writes only what {@link SecretIdentity} needs.
 */
final class DerWriter {

    private DerWriter() {}

    static byte[] sequence(byte[]... members) {
        return of(0x30, members);
    }

    static byte[] text(int tag, String ascii) {
        return of(tag, ascii.getBytes(StandardCharsets.US_ASCII));
    }

    static byte[] raw(int tag, int... contents) {
        byte[] bytes = new byte[contents.length];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) contents[i];
        }
        return of(tag, bytes);
    }

    static byte[] of(int tag, byte[]... contents) {
        int length = 0;
        for (byte[] part : contents) {
            length += part.length;
        }
        if (length > 0xffff) {
            throw new IllegalArgumentException(
                    "contents: " + length + " bytes (expected: at most 65535)");
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream(length + 4);
        out.write(tag);
        if (length < 0x80) {
            out.write(length);
        } else if (length < 0x100) {
            out.write(0x81);
            out.write(length);
        } else {
            out.write(0x82);
            out.write(length >> 8);
            out.write(length);
        }
        for (byte[] part : contents) {
            out.writeBytes(part);
        }
        return out.toByteArray();
    }
}
