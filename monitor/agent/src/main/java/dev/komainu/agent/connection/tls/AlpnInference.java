package dev.komainu.agent.connection.tls;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Inference of the protocol that a TLS 1.3 server chose. Its choice is encrypted, but the length is
 * not: EncryptedExtensions are the first encrypted record and contain little else (RFC 8446 4.3.1,
 * RFC 7301 3.1).
 *
 * <pre>
 *  message    4 type and length | 2 length of the extensions | the extensions
 *  ALPN       2 type | 2 length | 2 length | 1 length | the name
 *  others     server name 4, early data 4, both empty
 * </pre>
 *
 * "h2" makes 9 bytes, "http/1.1" 15, none 0; with the others no two of these are equal.
 */
final class AlpnInference {

    private static final int MESSAGE = 6;
    private static final int ALPN = 7;
    private static final int[] OTHERS = {0, 4, 8};

    private AlpnInference() {}

    /**
     * Returns the chosen protocol: the only offer that makes this length; where no offer does, the
     * only offer; null when none was chosen or the choice is ambiguous.
     *
     * @param offers protocols that the client offered, at least one
     * @param length length of the content of the server's first encrypted record
     */
    static @Nullable String of(List<String> offers, int length) {
        int extensions = length - MESSAGE;
        String found = null;
        int fitting = 0;
        for (int other : OTHERS) {
            if (extensions == other) {
                fitting++;
            }
            for (String offer : offers) {
                if (extensions == other + ALPN + offer.length()) {
                    found = offer;
                    fitting++;
                }
            }
        }
        return fitting == 1 ? found : fitting == 0 && offers.size() == 1 ? offers.getFirst() : null;
    }
}
