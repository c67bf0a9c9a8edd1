package dev.komainu.central.lease;

import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.cert.CertificateEncodingException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The fields in which a centre names the client whose request it forwards. The holder believes them
 * because of the secret of the lease, which only centres with the control data know.
 */
public final class PeerCentre {

    private static final String SECRET = "Komainu-Lease";
    private static final String CLIENT = "Komainu-Client-Address";
    private static final String SCHEME = "Komainu-Client-Scheme";
    /** RFC 9440: the client's certificate, DER in base64 between colons. */
    private static final String CERTIFICATE = "Client-Cert";

    private static final String SHOWN = "jakarta.servlet.request.X509Certificate";

    private PeerCentre() {}

    /** Reports whether a field is of this kind: clients must not write it themselves. */
    public static boolean isField(String name) {
        return name.equalsIgnoreCase(SECRET)
                || name.equalsIgnoreCase(CLIENT)
                || name.equalsIgnoreCase(SCHEME)
                || name.equalsIgnoreCase(CERTIFICATE);
    }

    /** Returns the fields for a request that is forwarded. */
    public static Map<String, String> fields(String secret, HttpServletRequest request) {
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put(SECRET, secret);
        fields.put(CLIENT, request.getRemoteAddr());
        fields.put(SCHEME, request.getScheme());
        if (request.getAttribute(SHOWN) instanceof X509Certificate[] shown && shown.length > 0) {
            try {
                fields.put(
                        CERTIFICATE,
                        ":" + Base64.getEncoder().encodeToString(shown[0].getEncoded()) + ":");
            } catch (CertificateEncodingException e) {
                throw new IllegalStateException("A certificate that was received has a form", e);
            }
        }
        return fields;
    }

    /**
     * The client as another centre tells it.
     *
     * @param certificate what it showed to that centre, which has checked it against the authority
     *     that both have; null: nothing
     */
    public record Client(
            String address,
            @Nullable String scheme,
            @Nullable X509Certificate certificate) {}

    /** Returns the client of a request that another centre forwards; null for any other request. */
    public static @Nullable Client client(HttpServletRequest request, String secret) {
        String given = request.getHeader(SECRET);
        String address = request.getHeader(CLIENT);
        boolean isFromCentre = given != null
                && !secret.isEmpty()
                && MessageDigest.isEqual(
                        given.getBytes(StandardCharsets.UTF_8),
                        secret.getBytes(StandardCharsets.UTF_8));
        return isFromCentre && address != null
                ? new Client(address, request.getHeader(SCHEME), certificate(request))
                : null;
    }

    private static @Nullable X509Certificate certificate(HttpServletRequest request) {
        String text = request.getHeader(CERTIFICATE);
        if (text == null) {
            return null;
        }
        try {
            byte[] encoded = Base64.getDecoder().decode(text.replace(":", ""));
            return (X509Certificate) CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(encoded));
        } catch (CertificateException | IllegalArgumentException e) {
            return null;
        }
    }
}
