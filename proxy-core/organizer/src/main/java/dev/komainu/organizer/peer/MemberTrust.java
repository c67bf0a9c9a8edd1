package dev.komainu.organizer.peer;

import dev.komainu.telemetry.identity.PartIdentity;
import java.io.IOException;
import java.net.Socket;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The trust in members whose certificates are of the installation's authority. A member is a part
 * at both ends of a connection, so both are checked in the same way. The dialled end of a line must
 * be the member that was dialled. Any thread.
 */
public final class MemberTrust extends X509ExtendedTrustManager {

    private final PartIdentity identity;
    private final PeerRights rights;

    public MemberTrust(PartIdentity identity, PeerRights rights) {
        this.identity = identity;
        this.rights = rights;
    }

    private void check(X509Certificate[] chain, String type) throws CertificateException {
        X509ExtendedTrustManager authority;
        try {
            // Another one after each renewal.
            authority = identity.trustManager();
        } catch (IOException e) {
            throw new CertificateException("This member is " + e.getMessage(), e);
        }
        authority.checkClientTrusted(chain, type);
        String refusal = rights.refusal(chain[0]);
        if (refusal != null) {
            throw new CertificateException("The peer is no member: " + refusal);
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        check(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
            throws CertificateException {
        check(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, @Nullable Socket socket)
            throws CertificateException {
        check(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable Socket socket)
            throws CertificateException {
        check(chain, type);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine)
            throws CertificateException {
        check(chain, type);
    }

    /** Checks the end of a line; the engine has the name of the dialled member. */
    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, @Nullable SSLEngine engine)
            throws CertificateException {
        check(chain, type);
        String dialled = engine == null ? null : engine.getPeerHost();
        String shown = rights.member(chain[0]).orElse("");
        if (dialled != null && !dialled.equals(shown)) {
            throw new CertificateException(
                    "The peer is the member " + shown + " (expected: " + dialled + ")");
        }
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        try {
            return identity.trustManager().getAcceptedIssuers();
        } catch (IOException e) {
            // Not enrolled yet: there are none.
            return new X509Certificate[0];
        }
    }
}
