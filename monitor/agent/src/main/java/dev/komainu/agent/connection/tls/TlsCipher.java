package dev.komainu.agent.connection.tls;

/**
 * Effect of a cipher suite on the lengths of records (RFC 8446 5.2 and B.4, RFC 5288, RFC 7905).
 */
final class TlsCipher {

    /** Overhead of TLS 1.3 with any usual suite: the inner type and a tag of 16. */
    static final int USUAL_OVERHEAD = 17;

    /** Largest content of a record (RFC 8446 5.1); of a client's messages only a body fills it. */
    static final int FULL_RECORD = 16_384;

    private static final int AES_256_GCM_SHA384 = 0x1302;
    private static final int AES_128_CCM_8_SHA256 = 0x1305;
    private static final int HANDSHAKE_HEADER = 4;
    private static final int SHA256 = 32;
    private static final int SHA384 = 48;
    private static final int TAG = 16;
    private static final int SHORT_TAG = 8;
    private static final int EXPLICIT_NONCE = 8;

    private TlsCipher() {}

    /**
     * Returns the bytes by which a record is longer than its content; in TLS 1.2 for AEAD suites,
     * the only ones HTTP/2 allows.
     */
    static int overhead(int suite, boolean is13) {
        if (is13) {
            return 1 + tag(suite);
        }
        boolean chaCha = suite >= 0xcca8 && suite <= 0xccae;
        return chaCha ? TAG : EXPLICIT_NONCE + TAG;
    }

    /** Returns the length of the record that carries a Finished in TLS 1.3. */
    static int finishedRecord(int suite) {
        int hash = suite == AES_256_GCM_SHA384 ? SHA384 : SHA256;
        return HANDSHAKE_HEADER + hash + 1 + tag(suite);
    }

    /**
     * Reports whether a record of this length may carry a Finished, where the suite is not known.
     */
    static boolean mayBeFinished(int length) {
        return length == finishedRecord(AES_256_GCM_SHA384) || length == finishedRecord(0);
    }

    private static int tag(int suite) {
        return suite == AES_128_CCM_8_SHA256 ? SHORT_TAG : TAG;
    }
}
