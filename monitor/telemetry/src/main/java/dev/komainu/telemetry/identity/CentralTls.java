package dev.komainu.telemetry.identity;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.SocketException;
import java.net.URI;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * TLS to the central service: the certificate that a part shows, and the authorities that it
 * trusts.
 *
 * <pre>
 * identity  authority-file  trusted
 * yes       no              authorities of the identity; those of Java if the central service has a public certificate
 * yes       yes             the same, and those of the file
 * no        yes             those of the file
 * no        no              those of Java
 * </pre>
 *
 * <p>The factory of sockets stays the same until the identity is renewed or the file changes:
 * connections are reused by it. Any thread.
 */
public final class CentralTls {

    private static final long ASKED_NANOS = Duration.ofMinutes(1).toNanos();

    private final @Nullable PartIdentity identity;
    private final @Nullable TrustedAuthorities file;
    private final Clock clock;

    // Guarded by this.
    private @Nullable SSLSocketFactory sockets;
    private @Nullable Identity usedIdentity;
    private List<X509Certificate> usedFile = List.of();
    private long askedNanos;
    private @Nullable String difference;

    /**
     * Creates the TLS of one destination.
     *
     * @param identity absent: no certificate is shown
     * @param authorityFile PEM file of further authorities; absent: none
     */
    public CentralTls(@Nullable PartIdentity identity, @Nullable Path authorityFile) {
        this(identity, authorityFile, Clock.systemUTC());
    }

    CentralTls(@Nullable PartIdentity identity, @Nullable Path authorityFile, Clock clock) {
        this.identity = identity;
        this.file = authorityFile == null ? null : new TrustedAuthorities(authorityFile);
        this.clock = clock;
    }

    /**
     * Prepares a connection that is not open yet.
     *
     * @throws IOException when the part is not enrolled yet, or the file cannot be read
     */
    public void prepare(HttpURLConnection connection) throws IOException {
        if (connection instanceof HttpsURLConnection secure) {
            secure.setSSLSocketFactory(sockets());
        } else if (identity != null) {
            throw new IOException(
                    "central.url: " + connection.getURL().getProtocol()
                            + " (expected: https, because this part has a certificate in place of a token)");
        }
    }

    synchronized SSLSocketFactory sockets() throws IOException {
        Identity now = identity == null ? null : identity.enrolled();
        List<X509Certificate> further = file == null ? List.of() : file.certificates();
        SSLSocketFactory known = sockets;
        if (known != null && Objects.equals(now, usedIdentity) && further.equals(usedFile)) {
            return known;
        }
        SSLSocketFactory fresh = context(now, further).getSocketFactory();
        sockets = fresh;
        usedIdentity = now;
        usedFile = further;
        return fresh;
    }

    /**
     * Returns the text about the difference of this host's clock from the central service's, when
     * that may be the reason why a connection failed; null: it is not. Asks at most once a minute.
     */
    public @Nullable String clockDifference(URI central, IOException failure) {
        // The other side may close before its alert is read: a plain SocketException. Its
        // subclasses are failures to connect.
        if (!(failure instanceof SSLException || failure.getClass() == SocketException.class)) {
            return null;
        }
        List<X509Certificate> authorities;
        synchronized (this) {
            if (askedNanos != 0 && System.nanoTime() - askedNanos < ASKED_NANOS) {
                return difference;
            }
            askedNanos = System.nanoTime();
            authorities = new ArrayList<>(usedFile);
            if (usedIdentity != null) {
                authorities.addAll(usedIdentity.authorities());
            }
        }
        String asked = CentralClock.difference(central, chain -> authorities, clock);
        synchronized (this) {
            difference = asked;
        }
        return asked;
    }

    private SSLContext context(@Nullable Identity now, List<X509Certificate> further) {
        List<X509Certificate> authorities = new ArrayList<>(further);
        if (now == null) {
            return TlsContext.of(
                    null, new AuthorityTrust(authorities, authorities.isEmpty(), clock));
        }
        authorities.addAll(now.authorities());
        return TlsContext.of(
                new IdentityKeyManager(now),
                new AuthorityTrust(authorities, now.facts().publicAuthorities(), clock));
    }
}
