package dev.komainu.telemetry.kit;

import java.math.BigInteger;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** An authority that issues certificates as the central service does, with any times and names. */
public final class TestAuthority {

    private static final Duration EARLIER = Duration.ofHours(1);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final X500Name name;
    private final KeyPair keys = keys();
    private final X509Certificate certificate;

    /**
     * Creates an authority.
     *
     * @param name its common name; two authorities may have the same
     */
    public TestAuthority(String name) {
        this.name = new X500Name("CN=" + name);
        this.certificate = sign(authority(this.name, this.name, keys.getPublic()));
    }

    /** Returns a new P-256 key. */
    public static KeyPair keys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    public X509Certificate certificate() {
        return certificate;
    }

    /** Returns the certificate of a newer authority that this one signed. */
    public X509Certificate linkTo(TestAuthority newer) {
        return sign(authority(name, newer.name, newer.keys.getPublic()));
    }

    private static JcaX509v3CertificateBuilder authority(
            X500Name issuer, X500Name subject, PublicKey key) {
        Instant now = Instant.now();
        JcaX509v3CertificateBuilder builder =
                builder(issuer, subject, key, now.minus(EARLIER), now.plus(Duration.ofDays(365)));
        try {
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
        } catch (CertIOException e) {
            throw new IllegalStateException(e);
        }
        return builder;
    }

    /** Issues the certificate of a server, valid for a hundred days from now. */
    public X509Certificate server(PublicKey key, String... names) {
        Instant now = Instant.now();
        return server(key, now.minus(EARLIER), now.plus(Duration.ofDays(100)), names);
    }

    /**
     * Issues the certificate of a server.
     *
     * @param names DNS names and IPv4 addresses
     */
    public X509Certificate server(PublicKey key, Instant begins, Instant ends, String... names) {
        List<GeneralName> all = new ArrayList<>();
        for (String each : names) {
            all.add(new GeneralName(
                    each.matches("[0-9.]+") ? GeneralName.iPAddress : GeneralName.dNSName, each));
        }
        return end("central", key, begins, ends, all);
    }

    /** Issues the certificate of a part, as the contract of enrolment says. */
    public X509Certificate part(
            PublicKey key,
            String id,
            String kind,
            String source,
            String node,
            Instant begins,
            Instant ends) {
        List<GeneralName> all = new ArrayList<>();
        all.add(uri("part", id));
        all.add(uri("kind", kind));
        all.add(uri("source", source));
        all.add(uri("node", node));
        return end(source.replaceAll("[^A-Za-z0-9@.-]", "_"), key, begins, ends, all);
    }

    private static GeneralName uri(String what, String value) {
        return new GeneralName(
                GeneralName.uniformResourceIdentifier,
                "urn:komainu:" + what + ":" + URLEncoder.encode(value, StandardCharsets.UTF_8));
    }

    private X509Certificate end(
            String common,
            PublicKey key,
            Instant begins,
            Instant ends,
            Collection<GeneralName> names) {
        JcaX509v3CertificateBuilder builder =
                builder(name, new X500Name("CN=" + common), key, begins, ends);
        try {
            builder.addExtension(
                    Extension.extendedKeyUsage, false, new ExtendedKeyUsage(new KeyPurposeId[] {
                        KeyPurposeId.id_kp_clientAuth, KeyPurposeId.id_kp_serverAuth
                    }));
            builder.addExtension(
                    Extension.subjectAlternativeName,
                    false,
                    new GeneralNames(names.toArray(GeneralName[]::new)));
        } catch (CertIOException e) {
            throw new IllegalStateException(e);
        }
        return sign(builder);
    }

    private static JcaX509v3CertificateBuilder builder(
            X500Name issuer, X500Name subject, PublicKey key, Instant begins, Instant ends) {
        return new JcaX509v3CertificateBuilder(
                issuer,
                new BigInteger(127, RANDOM).setBit(0),
                Date.from(begins),
                Date.from(ends),
                subject,
                key);
    }

    private X509Certificate sign(JcaX509v3CertificateBuilder builder) {
        try {
            return new JcaX509CertificateConverter()
                    .getCertificate(builder.build(new JcaContentSignerBuilder("SHA256withECDSA")
                            .build(keys.getPrivate())));
        } catch (GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns certificates in PEM. */
    public static String pem(Collection<X509Certificate> certificates) {
        StringBuilder text = new StringBuilder();
        for (X509Certificate each : certificates) {
            try {
                text.append("-----BEGIN CERTIFICATE-----\n")
                        .append(Base64.getMimeEncoder(64, new byte[] {'\n'})
                                .encodeToString(each.getEncoded()))
                        .append("\n-----END CERTIFICATE-----\n");
            } catch (GeneralSecurityException e) {
                throw new IllegalStateException(e);
            }
        }
        return text.toString();
    }
}
