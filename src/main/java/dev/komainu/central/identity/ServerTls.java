package dev.komainu.central.identity;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;

/**
 * The certificate of this service and the authorities of its clients, for TLS at its address. The
 * certificate is the user's, or one that the authority issues for all names and addresses of this
 * host. Any thread.
 */
public final class ServerTls {

    /** Name of the bundle in Spring's registry. */
    public static final String BUNDLE = "komainu";

    /** Life of a certificate that the authority issues for this service. */
    private static final Duration LIFE = Duration.ofDays(90);

    /** Rest of its life at which another one is issued. */
    private static final Duration REST = Duration.ofDays(30);

    private static final int MOST_ADDRESSES = 100;
    private static final String ENTRY = "server";
    private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};

    private final Authority authority;
    private final ServerTlsSettings settings;
    private final Collection<String> hosts;
    private final Clock clock;
    private Held held;

    /**
     * The certificate in use, and the authorities of clients.
     *
     * @param names what the certificate was issued for; absent: it is the user's
     */
    private record Held(
            CertifiedKey key,
            List<X509Certificate> chain,
            @Nullable Names names,
            List<X509Certificate> trusted) {}

    /** DNS names and addresses of this host. */
    private record Names(Set<String> names, Set<InetAddress> addresses) {}

    /**
     * Reads or issues the certificate.
     *
     * @param hosts further DNS names of this service
     * @throws IOException naming the setting, the file and what was expected
     */
    public ServerTls(
            Authority authority, ServerTlsSettings settings, Collection<String> hosts, Clock clock)
            throws IOException {
        this.authority = authority;
        this.settings = settings;
        this.hosts = hosts;
        this.clock = clock;
        this.held = fresh();
    }

    private Held fresh() throws IOException {
        return settings.certificate() == null || settings.key() == null
                ? issued()
                : read(settings.certificate(), settings.key());
    }

    private Held read(Path certificate, Path key) throws IOException {
        List<X509Certificate> chain;
        CertifiedKey own;
        try {
            chain = Pem.certificates(certificate);
        } catch (IOException e) {
            throw new IOException("komainu.tls.certificate: " + e.getMessage(), e);
        }
        try {
            own = new CertifiedKey(Pem.privateKey(key), chain.getFirst());
        } catch (IOException e) {
            throw new IOException("komainu.tls.key: " + e.getMessage(), e);
        }
        if (!own.isConsistent()) {
            throw new IOException("komainu.tls.key: " + key
                    + " (expected: the key of the first certificate in " + certificate + ")");
        }
        return new Held(own, chain, null, authority.trusted());
    }

    private Held issued() {
        Names names = names();
        KeyPair pair = Authority.newKeys();
        List<X509Certificate> chain =
                authority.issueServer(pair.getPublic(), names.names(), names.addresses(), LIFE);
        return new Held(
                new CertifiedKey(pair.getPrivate(), chain.getFirst()),
                chain,
                names,
                authority.trusted());
    }

    private Names names() {
        Set<String> names = new TreeSet<>(hosts);
        names.add("localhost");
        Set<InetAddress> addresses = new LinkedHashSet<>();
        try {
            names.add(InetAddress.getLocalHost().getHostName());
            NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .limit(MOST_ADDRESSES)
                    .forEach(addresses::add);
        } catch (UnknownHostException | SocketException e) {
            addresses.add(InetAddress.getLoopbackAddress());
        }
        return new Names(names, addresses);
    }

    /**
     * Reads changed files again, and issues another certificate when the names of this host have
     * changed or the end is near.
     *
     * @return whether {@link #bundle} is another one now
     * @throws IOException as the constructor; the certificate before stays in use
     */
    public synchronized boolean refresh() throws IOException {
        authority.refresh();
        Held before = held;
        Names names = before.names();
        if (names == null) {
            Held read = fresh();
            if (read.chain().equals(before.chain()) && read.trusted().equals(before.trusted())) {
                return false;
            }
            held = read;
            return true;
        }
        if (names.equals(names())
                && before.trusted().equals(authority.trusted())
                && ends().minus(REST).isAfter(clock.instant())) {
            return false;
        }
        held = issued();
        return true;
    }

    /**
     * Returns the fingerprint by which a part recognizes this service at its enrolment: SHA-256
     * over the last certificate that the service shows, 43 characters of base64url.
     */
    public synchronized String fingerprint() {
        return IssuedCertificates.fingerprint(held.chain().getLast());
    }

    /** Reports whether the certificate in use is the user's. */
    public synchronized boolean isUsers() {
        return held.names() == null;
    }

    /** Returns the certificates by which parts trust this service, in PEM. */
    public synchronized String authorities() {
        return Pem.text(shown());
    }

    /** Returns the certificates by which others trust this service. */
    private List<X509Certificate> shown() {
        List<X509Certificate> all = new ArrayList<>(held.trusted());
        if (held.names() == null) {
            all.add(held.chain().getLast());
        }
        return all;
    }

    /** Returns the end of the certificate in use. */
    public synchronized Instant ends() {
        return held.chain().getFirst().getNotAfter().toInstant();
    }

    /** Returns the certificate, its key and the authorities of clients, for the web server. */
    public synchronized SslBundle bundle() {
        try {
            KeyStore keys = empty();
            keys.setKeyEntry(
                    ENTRY, held.key().key(), new char[0], held.chain().toArray(Certificate[]::new));
            return SslBundle.of(
                    SslStoreBundle.of(keys, "", AuthorityTls.store(held.trusted())),
                    SslBundleKey.of("", ENTRY),
                    SslOptions.of(null, PROTOCOLS));
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("Every Java runtime has PKCS12", e);
        }
    }

    /** Returns the TLS of requests to other central services of this installation. */
    public synchronized SSLContext peers() {
        try {
            return AuthorityTls.context(shown());
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException("Every Java runtime has PKIX", e);
        }
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }
}
