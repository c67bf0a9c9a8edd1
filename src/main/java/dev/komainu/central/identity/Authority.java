package dev.komainu.central.identity;

import dev.komainu.telemetry.file.PrivateFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The certificate authority of this installation. It is created at the first start: a P-256 key and
 * its certificate in {@code authority.key} and {@code authority.pem} (mode 600). It issues the
 * certificates of this service and of the parts.
 *
 * <p>When it is replaced, the old certificate stays trusted, and a certificate of the new key that
 * the old key signed leads parts that know only the old one to the new one. Any thread.
 */
public final class Authority {

    /** Life of the authority's own certificate. */
    static final Duration LIFE = Duration.ofDays(3_653);

    private static final String KEY = "authority.key";
    private static final String CERTIFICATES = "authority.pem";

    private final Path directory;
    private final Clock clock;
    private volatile Held held;

    /**
     * The contents of the files.
     *
     * @param link the certificate of the current key that the previous key signed; absent before
     *     the first replacement
     * @param previous the certificate before the last replacement
     */
    private record Held(
            CertifiedKey current,
            @Nullable X509Certificate link,
            @Nullable X509Certificate previous) {}

    private Authority(Path directory, Clock clock, Held held) {
        this.directory = directory;
        this.clock = clock;
        this.held = held;
    }

    /**
     * Opens the authority, and creates it if the directory has none.
     *
     * @throws IOException naming the file and what was expected
     */
    public static Authority open(Path directory, Clock clock) throws IOException {
        PrivateFiles.directory(directory);
        if (!Files.exists(directory.resolve(KEY))) {
            KeyPair pair = newKeys();
            CertifiedKey issuer = new CertifiedKey(
                    pair.getPrivate(), IssuedCertificates.ofAuthority(pair, clock.instant(), LIFE));
            Authority created = new Authority(directory, clock, new Held(issuer, null, null));
            created.write(created.held);
            return created;
        }
        List<X509Certificate> stored = Pem.certificates(directory.resolve(CERTIFICATES));
        CertifiedKey issuer =
                new CertifiedKey(Pem.privateKey(directory.resolve(KEY)), stored.getFirst());
        if (!issuer.isConsistent()) {
            throw new IOException(
                    directory.resolve(KEY) + ": not the key of " + directory.resolve(CERTIFICATES)
                            + " (expected: both as this service wrote them)");
        }
        return new Authority(
                directory,
                clock,
                new Held(
                        issuer,
                        stored.size() > 2 ? stored.get(1) : null,
                        stored.size() > 2 ? stored.get(2) : null));
    }

    static KeyPair newKeys() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java runtime has P-256", e);
        }
    }

    /** Returns the certificate with which certificates are issued now. */
    public X509Certificate certificate() {
        return held.current().certificate();
    }

    /** Returns the certificates that this service and the parts trust, the current one first. */
    public List<X509Certificate> trusted() {
        Held now = held;
        List<X509Certificate> all = new ArrayList<>();
        all.add(now.current().certificate());
        if (now.previous() != null) {
            all.add(now.previous());
        }
        return all;
    }

    /** Returns the fingerprint of the current certificate: SHA-256 over it, 64 hex digits. */
    public String fingerprint() {
        return IssuedCertificates.fingerprint(certificate());
    }

    /**
     * Issues a certificate for this service.
     *
     * @param names its DNS names
     * @param addresses its addresses
     * @return the chain: its certificate, and the link for parts that know the previous authority
     */
    public List<X509Certificate> issueServer(
            PublicKey key,
            Collection<String> names,
            Collection<InetAddress> addresses,
            Duration life) {
        Held now = held;
        return chain(
                now,
                IssuedCertificates.ofServer(
                        now.current(), key, names, addresses, clock.instant(), life));
    }

    /**
     * Issues a certificate for a part.
     *
     * @param part id of the part
     * @param source name in which it reports
     * @return the chain, as of {@link #issueServer}
     */
    public List<X509Certificate> issuePart(
            PublicKey key, String part, String source, Duration life) {
        Held now = held;
        return chain(
                now,
                IssuedCertificates.ofPart(now.current(), key, part, source, clock.instant(), life));
    }

    private static List<X509Certificate> chain(Held now, X509Certificate issued) {
        return now.link() == null ? List.of(issued) : List.of(issued, now.link());
    }

    /**
     * Replaces the key. The certificate before stays trusted until the next replacement; parts that
     * know only that one accept this service by the link and get both at their renewal.
     */
    public synchronized void replace() throws IOException {
        Held before = held;
        KeyPair pair = newKeys();
        X509Certificate own = IssuedCertificates.ofAuthority(pair, clock.instant(), LIFE);
        Held after = new Held(
                new CertifiedKey(pair.getPrivate(), own),
                IssuedCertificates.link(before.current(), own, clock.instant()),
                before.current().certificate());
        write(after);
        held = after;
    }

    /**
     * The key first: an interruption between the two files is found at the next start, because they
     * do not belong together.
     */
    private void write(Held content) throws IOException {
        List<X509Certificate> certificates = new ArrayList<>();
        certificates.add(content.current().certificate());
        if (content.link() != null && content.previous() != null) {
            certificates.add(content.link());
            certificates.add(content.previous());
        }
        PrivateFiles.replace(directory.resolve(KEY), Pem.of(content.current().key()));
        PrivateFiles.replace(directory.resolve(CERTIFICATES), Pem.of(certificates));
    }
}
