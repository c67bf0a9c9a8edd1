package dev.komainu.telemetry.identity;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The names of a part in its certificate, as URIs: enough to know the part again when the central
 * service was restored from a copy that is older than the certificate.
 *
 * @param part id of the part
 * @param kind kind of the part
 * @param source source of its batches; in the certificate also the common name, which is shorter
 * @param node name of its host; absent: none
 * @param networks blocks of addresses for which it may report
 */
public record CertificateNames(
        String part, String kind, String source, @Nullable String node, List<String> networks) {

    private static final String URN = "urn:komainu:";
    private static final String PART = URN + "part:";
    private static final String KIND = URN + "kind:";
    private static final String SOURCE = URN + "source:";
    private static final String NODE = URN + "node:";
    private static final String NETWORK = URN + "network:";

    /** Type of a URI among the alternative names (RFC 5280 section 4.2.1.6). */
    private static final int URI_NAME = 6;

    public CertificateNames {
        networks = List.copyOf(networks);
    }

    /** Returns the names in the certificate of a part; empty: it is not one. */
    public static Optional<CertificateNames> of(X509Certificate certificate) {
        List<String> uris = uris(certificate);
        List<String> parts = values(uris, PART);
        List<String> kinds = values(uris, KIND);
        List<String> sources = values(uris, SOURCE);
        List<String> nodes = values(uris, NODE);
        return parts.isEmpty() || kinds.isEmpty() || sources.isEmpty()
                ? Optional.empty()
                : Optional.of(new CertificateNames(
                        parts.getFirst(),
                        kinds.getFirst(),
                        sources.getFirst(),
                        nodes.isEmpty() ? null : nodes.getFirst(),
                        values(uris, NETWORK)));
    }

    /** Returns the URIs that a certificate names. */
    private static List<String> uris(X509Certificate certificate) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            return names == null
                    ? List.of()
                    : names.stream()
                            .filter(name -> Integer.valueOf(URI_NAME).equals(name.getFirst()))
                            .map(name -> String.valueOf(name.get(1)))
                            .toList();
        } catch (CertificateParsingException e) {
            return List.of();
        }
    }

    /** Returns the URIs for a certificate. */
    public List<String> uris() {
        List<String> uris = new ArrayList<>();
        uris.add(PART + encoded(part));
        uris.add(KIND + encoded(kind));
        uris.add(SOURCE + encoded(source));
        if (node != null) {
            uris.add(NODE + encoded(node));
        }
        networks.forEach(network -> uris.add(NETWORK + network));
        return uris;
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static List<String> values(List<String> uris, String name) {
        return uris.stream()
                .filter(uri -> uri.startsWith(name))
                .map(uri -> URLDecoder.decode(uri.substring(name.length()), StandardCharsets.UTF_8))
                .toList();
    }
}
