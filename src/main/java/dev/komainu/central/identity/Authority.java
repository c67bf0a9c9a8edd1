package dev.komainu.central.identity;

import dev.komainu.telemetry.file.PrivateFiles;
import dev.komainu.telemetry.identity.CertificateNames;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The certificate authority of this installation. It is created at the first start: a P-256 key
 * with its certificates in {@code authority.key}, and a copy of the certificates in
 * {@code authority.pem} (mode 600). It issues the certificates of this service and of the parts.
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
    private FileTime read;
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

    private Authority(Path directory, Clock clock, Held held, FileTime read) {
        this.directory = directory;
        this.clock = clock;
        this.held = held;
        this.read = read;
    }

    /**
     * Opens the authority, and creates it if the directory has none.
     *
     * @throws IOException naming the file and what was expected
     */
    public static Authority open(Path directory, Clock clock) throws IOException {
        PrivateFiles.directory(directory);
        Path key = directory.resolve(KEY);
        if (!Files.exists(key)) {
            KeyPair pair = newKeys();
            write(
                    directory,
                    new Held(
                            new CertifiedKey(
                                    pair.getPrivate(),
                                    IssuedCertificates.ofAuthority(pair, clock.instant(), LIFE)),
                            null,
                            null));
        }
        FileTime modified = Files.getLastModifiedTime(key);
        return new Authority(directory, clock, read(directory), modified);
    }

    private static Held read(Path directory) throws IOException {
        Path key = directory.resolve(KEY);
        Path copy = directory.resolve(CERTIFICATES);
        // Earlier builds wrote the certificates into the other file only.
        List<X509Certificate> stored = Pem.certificates(Pem.hasCertificates(key) ? key : copy);
        CertifiedKey issuer = new CertifiedKey(Pem.privateKey(key), stored.getFirst());
        if (!issuer.isConsistent()) {
            throw new IOException(key + ": not the key of " + copy
                    + " (expected: both as this service wrote them)");
        }
        Held content = new Held(
                issuer,
                stored.size() > 2 ? stored.get(1) : null,
                stored.size() > 2 ? stored.get(2) : null);
        byte[] copied = Pem.of(certificates(content));
        if (!Files.exists(copy) || !Arrays.equals(copied, Files.readAllBytes(copy))) {
            PrivateFiles.replace(copy, copied);
        }
        return content;
    }

    /**
     * Reads the key again if another process replaced it.
     *
     * @throws IOException as {@link #open}; the key before stays in use
     */
    public synchronized void refresh() throws IOException {
        FileTime modified = Files.getLastModifiedTime(directory.resolve(KEY));
        if (!modified.equals(read)) {
            held = read(directory);
            read = modified;
        }
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

    /**
     * Issues a certificate for this service.
     *
     * @param names its DNS names
     * @param addresses its addresses
     * @return the chain: its certificate, after a replacement the link for parts that know the
     *     previous authority, and the authority at the end of the chain, by whose fingerprint a
     *     part recognizes this service at its enrolment
     */
    public List<X509Certificate> issueServer(
            PublicKey key,
            Collection<String> names,
            Collection<InetAddress> addresses,
            Duration life) {
        Held now = held;
        List<X509Certificate> chain = new ArrayList<>(chain(
                now,
                IssuedCertificates.ofServer(
                        now.current(), key, names, addresses, clock.instant(), life)));
        chain.add(now.previous() == null ? now.current().certificate() : now.previous());
        return chain;
    }

    /**
     * Issues a certificate for a part.
     *
     * @param names what the certificate says about the part
     * @return the chain: its certificate, and the link for those who know the previous authority
     */
    public List<X509Certificate> issuePart(PublicKey key, CertificateNames names, Duration life) {
        Held now = held;
        return chain(
                now, IssuedCertificates.ofPart(now.current(), key, names, clock.instant(), life));
    }

    /** Returns the time at which a certificate was issued, in whole seconds. */
    public static Instant issued(X509Certificate certificate) {
        return certificate.getNotBefore().toInstant().plus(IssuedCertificates.CLOCKS);
    }

    /** Returns certificates as PEM. */
    public static String pem(Collection<X509Certificate> certificates) {
        return Pem.text(certificates);
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
        write(
                directory,
                new Held(
                        new CertifiedKey(pair.getPrivate(), own),
                        IssuedCertificates.link(before.current(), own, clock.instant()),
                        before.current().certificate()));
        held = read(directory);
        read = Files.getLastModifiedTime(directory.resolve(KEY));
    }

    /** One file holds key and certificates, so that an interruption leaves both as they were. */
    private static void write(Path directory, Held content) throws IOException {
        PrivateFiles.replace(
                directory.resolve(KEY), Pem.of(content.current().key(), certificates(content)));
    }

    private static List<X509Certificate> certificates(Held content) {
        List<X509Certificate> certificates = new ArrayList<>();
        certificates.add(content.current().certificate());
        if (content.link() != null && content.previous() != null) {
            certificates.add(content.link());
            certificates.add(content.previous());
        }
        return certificates;
    }
}
