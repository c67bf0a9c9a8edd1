package dev.komainu.organizer.peer;

import dev.komainu.telemetry.identity.CertificateNames;
import dev.komainu.telemetry.identity.PartIdentity;
import dev.komainu.telemetry.identity.PartNames;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The rule by which a certificate of the installation makes its owner a member: it is of an
 * organizer of this cluster, and the central service has not revoked it. The signature is checked
 * in the handshake ({@link MemberTrust}). Any thread.
 */
public final class PeerRights {

    private static final String KIND = PartNames.Kind.ORGANIZER.text();

    private final PartIdentity identity;
    private final String sources;
    private final Clock clock;

    /**
     * Creates the rule.
     *
     * @param identity identity of this member
     * @param cluster name of the cluster
     */
    public PeerRights(PartIdentity identity, String cluster) {
        this(identity, cluster, Clock.systemUTC());
    }

    PeerRights(PartIdentity identity, String cluster, Clock clock) {
        this.identity = identity;
        this.sources = source(cluster, "");
        this.clock = clock;
    }

    /** Returns the source of a member's reports, which its certificate names. */
    public static String source(String cluster, String member) {
        return KIND + "@" + cluster + "/" + member;
    }

    /** Returns the member that a certificate names; empty: it is not of a member. */
    Optional<String> member(X509Certificate certificate) {
        return CertificateNames.of(certificate)
                .filter(names -> names.kind().equals(KIND)
                        && names.source().startsWith(sources)
                        && names.source().length() > sources.length())
                .map(names -> names.source().substring(sources.length()));
    }

    /** Returns the reason why a peer is not a member, or not any more; null: it is one. */
    @Nullable
    String refusal(X509Certificate certificate) {
        CertificateNames names = CertificateNames.of(certificate).orElse(null);
        if (names == null) {
            return "its certificate is not of a part (expected: of " + sources + "MEMBER)";
        }
        if (member(certificate).isEmpty()) {
            return "its certificate is of the " + names.kind() + " " + names.source()
                    + " (expected: the organizer " + sources + "MEMBER)";
        }
        return identity.isRevoked(names.part())
                ? "the central service has revoked " + names.source()
                : null;
    }

    /** Returns the text about the end of a certificate; null: it has not ended. */
    @Nullable
    String end(X509Certificate certificate) {
        Instant end = certificate.getNotAfter().toInstant();
        return clock.instant().isAfter(end) ? "its certificate ended at " + end : null;
    }
}
