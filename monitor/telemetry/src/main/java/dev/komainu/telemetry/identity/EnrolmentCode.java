package dev.komainu.telemetry.identity;

import dev.komainu.telemetry.wire.Sha256;
import java.net.URI;
import java.net.URISyntaxException;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.Locale;

/**
 * A one-time code with which a part enrols at a central service:
 * {@code https://HOST:PORT#SECRET.FINGERPRINT}.
 *
 * @param central address of the central service
 * @param secret 32 characters of base64url
 * @param fingerprint SHA-256 of one certificate in the chain that the central service shows, 43
 *     characters of base64url
 */
public record EnrolmentCode(URI central, String secret, String fingerprint) {

    /** The form of a code, for messages. */
    public static final String FORM = "https://HOST:PORT#SECRET.FINGERPRINT";

    private static final String SCHEME = "https://";
    private static final int SECRET_CHARACTERS = 32;
    private static final int FINGERPRINT_CHARACTERS = 43;
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    /**
     * Parses a code.
     *
     * @throws EnrolmentCodeException with the position of the mistake and what was expected there
     */
    public static EnrolmentCode parse(String text) {
        if (!text.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            throw new EnrolmentCodeException(1, "another beginning", FORM);
        }
        int hash = text.indexOf('#');
        if (hash < 0) {
            throw new EnrolmentCodeException(
                    text.length() + 1,
                    "the end",
                    "#SECRET.FINGERPRINT; in a shell the whole code in quotes");
        }
        URI central = address(text, hash);
        int dot = text.indexOf('.', hash);
        if (dot < 0) {
            throw new EnrolmentCodeException(text.length() + 1, "the end", ".FINGERPRINT");
        }
        String secret = part(text, hash + 1, dot, SECRET_CHARACTERS, "secret");
        String fingerprint =
                part(text, dot + 1, text.length(), FINGERPRINT_CHARACTERS, "fingerprint");
        if (!BASE64.encodeToString(Base64.getUrlDecoder().decode(fingerprint))
                .equals(fingerprint)) {
            throw new EnrolmentCodeException(
                    text.length(), "a last character that no fingerprint has", "32 bytes");
        }
        return new EnrolmentCode(central, secret, fingerprint);
    }

    private static URI address(String text, int hash) {
        String hostAndPort = text.substring(SCHEME.length(), hash);
        int wrong = firstOutside("/?@%\\ \t", hostAndPort);
        if (wrong >= 0) {
            throw new EnrolmentCodeException(
                    SCHEME.length() + wrong + 1,
                    "\"" + hostAndPort.charAt(wrong) + "\"",
                    "HOST:PORT and nothing else before #");
        }
        try {
            URI uri = new URI(SCHEME + hostAndPort);
            if (uri.getHost() == null) {
                throw new EnrolmentCodeException(SCHEME.length() + 1, "no host", "HOST:PORT");
            }
            if (uri.getPort() < 1 || uri.getPort() > 65_535) {
                throw new EnrolmentCodeException(
                        SCHEME.length()
                                + hostAndPort.lastIndexOf(uri.getHost())
                                + uri.getHost().length()
                                + 1,
                        uri.getPort() < 0 ? "no port" : "port " + uri.getPort(),
                        ":PORT from 1 to 65535");
            }
            return uri;
        } catch (URISyntaxException e) {
            throw new EnrolmentCodeException(
                    SCHEME.length() + Math.max(0, e.getIndex() - SCHEME.length()) + 1,
                    "no address",
                    "HOST:PORT");
        }
    }

    private static int firstOutside(String forbidden, String text) {
        for (int i = 0; i < text.length(); i++) {
            if (forbidden.indexOf(text.charAt(i)) >= 0) {
                return i;
            }
        }
        return -1;
    }

    private static String part(String text, int from, int to, int length, String name) {
        for (int i = from; i < to; i++) {
            if (!isBase64(text.charAt(i))) {
                throw new EnrolmentCodeException(
                        i + 1, "no character of a " + name, "A-Z, a-z, 0-9, - or _");
            }
        }
        if (to - from != length) {
            throw new EnrolmentCodeException(
                    from + Math.min(to - from, length) + 1,
                    "a " + name + " of " + (to - from) + " characters",
                    length + " characters");
        }
        return text.substring(from, to);
    }

    private static boolean isBase64(char c) {
        return (c >= 'A' && c <= 'Z')
                || (c >= 'a' && c <= 'z')
                || (c >= '0' && c <= '9')
                || c == '-'
                || c == '_';
    }

    /** Returns the fingerprint of a certificate, in the form of a code. */
    public static String fingerprint(X509Certificate certificate) {
        try {
            return BASE64.encodeToString(Sha256.of(certificate.getEncoded()));
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("A certificate that was read has its bytes", e);
        }
    }

    /** Returns the code without its secret. */
    @Override
    public String toString() {
        return central.toString().toLowerCase(Locale.ROOT) + "#….…"
                + fingerprint.substring(fingerprint.length() - 4);
    }
}
