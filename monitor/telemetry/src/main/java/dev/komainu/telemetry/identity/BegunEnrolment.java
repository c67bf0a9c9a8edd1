package dev.komainu.telemetry.identity;

import dev.komainu.telemetry.wire.Sha256;
import java.io.IOException;

/**
 * The key of an enrolment that was begun, and the code with which it is requested. With the same
 * key the request can be repeated after the process has died, and a code for one part still works.
 *
 * @param code SHA-256 of the code's secret, hexadecimal
 */
record BegunEnrolment(String code, PartKey key) {

    private static final String CODE = "Code: ";

    /** Begins an enrolment with a new key. */
    static BegunEnrolment with(EnrolmentCode code) {
        return new BegunEnrolment(hash(code), PartKey.create());
    }

    boolean isOf(EnrolmentCode other) {
        return code.equals(hash(other));
    }

    private static String hash(EnrolmentCode code) {
        return Sha256.hex(code.secret());
    }

    /** Returns a line with the code's hash, then both halves of the key in PEM. */
    String text() {
        return CODE + code + "\n" + PemText.of(key.secret()) + PemText.of(key.open());
    }

    /**
     * Parses the text.
     *
     * @throws IOException naming what is missing or damaged
     */
    static BegunEnrolment parse(String text) throws IOException {
        int end = text.indexOf('\n');
        if (!text.startsWith(CODE) || end < 0) {
            throw new IOException("no code");
        }
        PartKey key = new PartKey(PemText.key(text), PemText.openKey(text));
        if (!key.isConsistent()) {
            throw new IOException("the two halves of the key do not belong to each other");
        }
        return new BegunEnrolment(text.substring(CODE.length(), end), key);
    }
}
