package dev.komainu.organizer.peer;

import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * The open connections of members, with the certificates that their peers have shown. A handshake
 * checks a certificate once, and a resumed session not at all; here it is checked again when the
 * connection begins, and every second. Any thread.
 */
public final class PeerConnections {

    /** Validity of a connection after the end of its peer's certificate. */
    public enum Lifetime {
        /** It is closed then: it was made again with the renewed certificate before. */
        OF_CERTIFICATE,
        /** It stays open: a new one could count as the loss of the member. */
        OF_CONNECTION
    }

    /**
     * A connection that was closed.
     *
     * @param member name of the peer
     */
    public record Closed(String member, String why) {}

    private record Open(
            X509Certificate certificate,
            Lifetime lifetime,
            BooleanSupplier isOpen,
            Runnable close) {}

    private final PeerRights rights;
    private final Set<Open> connections = ConcurrentHashMap.newKeySet();

    public PeerConnections(PeerRights rights) {
        this.rights = rights;
    }

    /**
     * Admits a connection whose handshake has completed. It is watched until it closes.
     *
     * @param close closes it; called once, on the thread of {@link #closeRefused}
     * @return false: the peer has no right to it; the caller closes it
     */
    public boolean admit(
            SSLSession session, Lifetime lifetime, BooleanSupplier isOpen, Runnable close) {
        X509Certificate certificate = certificate(session);
        if (certificate == null) {
            return false;
        }
        Open added = new Open(certificate, lifetime, isOpen, close);
        if (refusal(added) != null) {
            return false;
        }
        connections.add(added);
        return true;
    }

    private static @Nullable X509Certificate certificate(SSLSession session) {
        try {
            return session.getPeerCertificates()[0] instanceof X509Certificate shown ? shown : null;
        } catch (SSLPeerUnverifiedException e) {
            return null;
        }
    }

    private @Nullable String refusal(Open connection) {
        String refusal = rights.refusal(connection.certificate());
        return refusal == null && connection.lifetime() == Lifetime.OF_CERTIFICATE
                ? rights.end(connection.certificate())
                : refusal;
    }

    /** Closes the connections of peers that have no right to them any more, and returns these. */
    public List<Closed> closeRefused() {
        List<Closed> closed = new ArrayList<>();
        connections.removeIf(connection -> {
            if (!connection.isOpen().getAsBoolean()) {
                return true;
            }
            String refusal = refusal(connection);
            if (refusal == null) {
                return false;
            }
            connection.close().run();
            closed.add(new Closed(rights.member(connection.certificate()).orElse(""), refusal));
            return true;
        });
        return closed;
    }

    /** Returns the certificates that the peers of open connections have shown. */
    public List<X509Certificate> shown(Lifetime lifetime) {
        return connections.stream()
                .filter(connection ->
                        connection.lifetime() == lifetime && connection.isOpen().getAsBoolean())
                .map(Open::certificate)
                .toList();
    }
}
