package dev.komainu.central.access.totp;

/** The encoding of bytes in base32 without padding (RFC 4648 section 6). */
final class Base32 {

    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final int BITS = 5;
    private static final int MASK = (1 << BITS) - 1;

    private Base32() {}

    static String encode(byte[] bytes) {
        StringBuilder text = new StringBuilder();
        int pending = 0;
        int bits = 0;
        for (byte each : bytes) {
            pending = pending << Byte.SIZE | Byte.toUnsignedInt(each);
            bits += Byte.SIZE;
            while (bits >= BITS) {
                bits -= BITS;
                text.append(ALPHABET.charAt(pending >> bits & MASK));
            }
            pending &= (1 << bits) - 1;
        }
        if (bits > 0) {
            text.append(ALPHABET.charAt(pending << (BITS - bits) & MASK));
        }
        return text.toString();
    }
}
