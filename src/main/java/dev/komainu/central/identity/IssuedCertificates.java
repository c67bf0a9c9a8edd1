package dev.komainu.central.identity;

import dev.komainu.telemetry.identity.CertificateNames;
import java.math.BigInteger;
import java.net.InetAddress;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * The certificates of this installation (RFC 5280): of the authority, this service and the parts.
 * All are valid from an hour before they are made, because the clocks of hosts differ.
 */
final class IssuedCertificates {

    /** Time before the issue from which a certificate is valid. */
    static final Duration CLOCKS = Duration.ofHours(1);

    private static final int SERIAL_BITS = 127;
    /** Longest common name (RFC 5280, upper bound of X.520). */
    private static final int MOST_NAME_CHARS = 64;

    private static final SecureRandom RANDOM = new SecureRandom();

    private IssuedCertificates() {}

    static X509Certificate ofAuthority(KeyPair pair, Instant now, Duration life) {
        // Each authority has another name, so that a chain leads to the right one.
        X500Name name = name("Komainu authority " + new BigInteger(40, RANDOM).toString(36));
        return sign(
                pair.getPrivate(), authority(name, name, pair.getPublic(), 1, now, now.plus(life)));
    }

    /**
     * Returns the certificate of an authority, issued by another one below which it is the last.
     */
    static X509Certificate link(CertifiedKey by, X509Certificate authority, Instant now) {
        return sign(
                by.key(),
                authority(
                        subject(by.certificate()),
                        subject(authority),
                        authority.getPublicKey(),
                        0,
                        now,
                        by.certificate().getNotAfter().toInstant()));
    }

    private static JcaX509v3CertificateBuilder authority(
            X500Name issuer,
            X500Name subject,
            PublicKey key,
            int authoritiesBelow,
            Instant now,
            Instant end) {
        JcaX509v3CertificateBuilder builder = builder(issuer, subject, key, now, end);
        add(builder, Extension.basicConstraints, true, new BasicConstraints(authoritiesBelow));
        add(
                builder,
                Extension.keyUsage,
                true,
                new KeyUsage(KeyUsage.keyCertSign | KeyUsage.cRLSign));
        return builder;
    }

    static X509Certificate ofServer(
            CertifiedKey by,
            PublicKey key,
            Collection<String> names,
            Collection<InetAddress> addresses,
            Instant now,
            Duration life) {
        List<GeneralName> all = new ArrayList<>();
        names.forEach(name -> all.add(new GeneralName(GeneralName.dNSName, name)));
        addresses.forEach(address -> all.add(new GeneralName(
                GeneralName.iPAddress, address.getHostAddress().replaceFirst("%.*", ""))));
        JcaX509v3CertificateBuilder builder = end(
                by, name(names.isEmpty() ? "komainu" : names.iterator().next()), key, now, life);
        add(
                builder,
                Extension.extendedKeyUsage,
                false,
                new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth));
        add(
                builder,
                Extension.subjectAlternativeName,
                false,
                new GeneralNames(all.toArray(GeneralName[]::new)));
        return sign(by.key(), builder);
    }

    /**
     * A part is a client of this service, and the server of its control endpoint. Its certificate
     * has neither DNS names nor addresses, so no client takes it for this service.
     */
    static X509Certificate ofPart(
            CertifiedKey by, PublicKey key, CertificateNames names, Instant now, Duration life) {
        JcaX509v3CertificateBuilder builder = end(by, name(names.source()), key, now, life);
        add(builder, Extension.extendedKeyUsage, false, new ExtendedKeyUsage(new KeyPurposeId[] {
            KeyPurposeId.id_kp_clientAuth, KeyPurposeId.id_kp_serverAuth
        }));
        add(
                builder,
                Extension.subjectAlternativeName,
                false,
                new GeneralNames(names.uris().stream()
                        .map(uri -> new GeneralName(GeneralName.uniformResourceIdentifier, uri))
                        .toArray(GeneralName[]::new)));
        return sign(by.key(), builder);
    }

    private static JcaX509v3CertificateBuilder end(
            CertifiedKey by, X500Name subject, PublicKey key, Instant now, Duration life) {
        JcaX509v3CertificateBuilder builder =
                builder(subject(by.certificate()), subject, key, now, now.plus(life));
        add(builder, Extension.basicConstraints, true, new BasicConstraints(false));
        add(builder, Extension.keyUsage, true, new KeyUsage(KeyUsage.digitalSignature));
        add(
                builder,
                Extension.authorityKeyIdentifier,
                false,
                utilities().createAuthorityKeyIdentifier(by.certificate().getPublicKey()));
        return builder;
    }

    private static JcaX509v3CertificateBuilder builder(
            X500Name issuer, X500Name subject, PublicKey key, Instant now, Instant end) {
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                issuer,
                new BigInteger(SERIAL_BITS, RANDOM).setBit(0),
                Date.from(now.minus(CLOCKS)),
                Date.from(end),
                subject,
                key);
        add(
                builder,
                Extension.subjectKeyIdentifier,
                false,
                utilities().createSubjectKeyIdentifier(key));
        return builder;
    }

    /** Returns SHA-256 over a certificate: 43 characters of base64url. */
    static String fingerprint(X509Certificate certificate) {
        try {
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(
                            MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has SHA-256", e);
        }
    }

    private static X500Name name(String common) {
        String text =
                common.length() <= MOST_NAME_CHARS ? common : common.substring(0, MOST_NAME_CHARS);
        return new X500NameBuilder(BCStyle.INSTANCE).addRDN(BCStyle.CN, text).build();
    }

    private static X500Name subject(X509Certificate certificate) {
        return X500Name.getInstance(certificate.getSubjectX500Principal().getEncoded());
    }

    private static void add(
            JcaX509v3CertificateBuilder builder,
            ASN1ObjectIdentifier extension,
            boolean critical,
            ASN1Encodable value) {
        try {
            builder.addExtension(extension, critical, value);
        } catch (CertIOException e) {
            throw new IllegalStateException(extension + ": " + e.getMessage(), e);
        }
    }

    private static JcaX509ExtensionUtils utilities() {
        try {
            return new JcaX509ExtensionUtils();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has SHA-1", e);
        }
    }

    private static X509Certificate sign(PrivateKey key, JcaX509v3CertificateBuilder builder) {
        try {
            return new JcaX509CertificateConverter()
                    .getCertificate(builder.build(
                            new JcaContentSignerBuilder("SHA256withECDSA").build(key)));
        } catch (GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalStateException("A P-256 key signs: " + e.getMessage(), e);
        }
    }
}
