package dev.komainu.organizer.member;

import dev.komainu.organizer.peer.MemberTrust;
import dev.komainu.organizer.peer.PeerConnections;
import dev.komainu.organizer.peer.PeerRights;
import dev.komainu.telemetry.identity.PartIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Credentials of a member for TLS 1.3 with certificates of both sides, in both directions. A
 * process without them cannot join, read or send.
 *
 * @param tls context for both ends of a connection
 * @param keys the key manager of {@code tls}, for engines other than Java's
 * @param trust the trust manager of {@code tls}
 * @param peers connections whose peers can lose their right to them; absent: none can
 */
public record Credentials(
        SSLContext tls,
        KeyManager keys,
        TrustManager trust,
        @Nullable PeerConnections peers) {

    private static final char[] NO_PASSWORD = new char[0];
    private static final Pattern KEY = Pattern.compile(
            "-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");

    /**
     * Creates the credentials from a secret that all members share.
     *
     * @throws IOException naming the setting and what was expected
     */
    public static Credentials ofSecret(Path file, String cluster) throws IOException {
        String text;
        try {
            text = Files.readString(file, StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new IOException("secret-file: " + file + " (expected: a readable text file)", e);
        }
        try {
            SecretIdentity identity = SecretIdentity.of(text, cluster);
            return of(identity.key(), new Certificate[] {identity.certificate()}, identity.trust());
        } catch (IllegalArgumentException e) {
            throw new IOException("secret-file: " + file + ": " + e.getMessage(), e);
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    "secret-file: " + file + ": no identity can be derived from it ("
                            + e.getMessage() + ")",
                    e);
        }
    }

    /**
     * Creates the credentials from a certificate of this member, issued by an authority that all
     * members trust.
     *
     * @param certificate PEM, the member's own first
     * @param key PEM, PKCS#8, no passphrase
     * @param authorities PEM
     * @throws IOException naming the setting and what was expected
     */
    public static Credentials ofCertificates(Path certificate, Path key, Path authorities)
            throws IOException {
        Certificate[] own =
                certificates("tls.certificate", certificate).toArray(new Certificate[0]);
        PrivateKey privateKey = privateKey(key);
        try {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, NO_PASSWORD);
            int count = 0;
            for (Certificate authority : certificates("tls.authorities", authorities)) {
                trusted.setCertificateEntry("authority-" + count++, authority);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(trusted);
            return of(privateKey, own, trust.getTrustManagers()[0]);
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    "tls: " + certificate + " with " + key
                            + " (expected: a certificate and its key; " + e.getMessage() + ")",
                    e);
        }
    }

    /**
     * Creates the credentials from this member's identity at the central service: the
     * installation's authority issues, renews and revokes the certificates of members.
     *
     * @param identity its key and certificate are used as they are at each handshake
     */
    public static Credentials ofIdentity(PartIdentity identity, String cluster) throws IOException {
        PeerRights rights = new PeerRights(identity, cluster);
        KeyManager keys = identity.renewingKeyManager();
        TrustManager trust = new MemberTrust(identity, rights);
        try {
            return new Credentials(context(keys, trust), keys, trust, new PeerConnections(rights));
        } catch (GeneralSecurityException e) {
            throw new IOException("identity: TLS 1.3 cannot use it (" + e.getMessage() + ")", e);
        }
    }

    private static SSLContext context(KeyManager keys, TrustManager trust)
            throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLSv1.3");
        context.init(new KeyManager[] {keys}, new TrustManager[] {trust}, null);
        return context;
    }

    private static Credentials of(PrivateKey key, Certificate[] chain, TrustManager trust)
            throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, NO_PASSWORD);
        store.setKeyEntry("member", key, NO_PASSWORD, chain);
        KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
        keys.init(store, NO_PASSWORD);
        KeyManager own = keys.getKeyManagers()[0];
        return new Credentials(context(own, trust), own, trust, null);
    }

    private static List<Certificate> certificates(String setting, Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            Collection<? extends Certificate> read =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (!read.isEmpty()) {
                return List.copyOf(read);
            }
        } catch (IOException | GeneralSecurityException e) {
            throw new IOException(
                    setting + ": " + file + " (expected: a readable PEM file with certificates)",
                    e);
        }
        throw new IOException(
                setting + ": " + file + " (expected: a PEM file with at least one certificate)");
    }

    private static PrivateKey privateKey(Path file) throws IOException {
        try {
            Matcher found = KEY.matcher(Files.readString(file, StandardCharsets.US_ASCII));
            if (found.find()) {
                byte[] bytes = Base64.getMimeDecoder().decode(found.group(1));
                for (String kind : List.of("EC", "RSA", "EdDSA")) {
                    try {
                        return KeyFactory.getInstance(kind)
                                .generatePrivate(new PKCS8EncodedKeySpec(bytes));
                    } catch (InvalidKeySpecException otherAlgorithm) {
                        // Not a key of this algorithm: the next may read it.
                    }
                }
            }
        } catch (IOException | GeneralSecurityException e) {
            throw new IOException("tls.key: " + file + " (expected: a readable PEM file)", e);
        }
        throw new IOException("tls.key: " + file
                + " (expected: a PEM file with a PRIVATE KEY, PKCS#8, EC, RSA or Ed25519)");
    }
}
