package dev.komainu.telemetry.identity;

import java.io.IOException;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An identity as the response of an enrolment or a renewal contains it.
 *
 * @param clocks the difference of the two clocks in words; absent: they agree
 */
record IssuedIdentity(Identity identity, @Nullable String clocks) {

    /**
     * Reads and checks a response.
     *
     * @param central address that answered
     * @param fingerprint fingerprint of the enrolment code
     * @param key key for which the certificate was requested
     * @param source name in which this part reports
     * @throws IOException naming the field and what was expected
     */
    static IssuedIdentity read(
            String body, URI central, String fingerprint, PartKey key, String source, Clock clock)
            throws IOException {
        Instant received = clock.instant();
        FlatJson in = FlatJson.parse(body);
        List<X509Certificate> chain = certificates(in, "certificate");
        X509Certificate own = chain.getFirst();
        if (!own.getPublicKey().equals(key.open())) {
            throw new IOException(
                    "certificate: of another key (expected: of the key of this part)");
        }
        PartNames names = IdentityFacts.names(in);
        if (!names.source().equals(source)) {
            throw new IOException("source: " + names.source() + " (expected: " + source + ")");
        }
        Instant issued = instant(in, "time");
        Instant ends = instant(in, "ends");
        if (!ends.isAfter(issued)) {
            throw new IOException("ends: " + ends + " (expected: after " + issued + ")");
        }
        IdentityFacts facts = new IdentityFacts(
                central,
                fingerprint,
                in.text("part"),
                names,
                in.texts("networks"),
                in.texts("leftOut"),
                in.truth("publicAuthorities"),
                Identity.serial(own),
                received,
                Duration.between(issued, ends));
        return new IssuedIdentity(
                new Identity(facts, key.secret(), chain, certificates(in, "authorities")),
                ClockHint.between(received, issued));
    }

    private static List<X509Certificate> certificates(FlatJson in, String name) throws IOException {
        try {
            return PemText.certificates(in.text(name));
        } catch (IOException e) {
            throw new IOException(
                    name + ": " + e.getMessage() + " (expected: certificates in PEM)", e);
        }
    }

    private static Instant instant(FlatJson in, String name) throws IOException {
        String text = in.text(name);
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            throw new IOException(
                    name + ": " + text + " (expected: an instant such as 2026-11-28T10:00:00Z)", e);
        }
    }
}
