package dev.komainu.organizer;

import dev.komainu.intermediary.caching.Labels;
import dev.komainu.intermediary.purge.PurgeLog;
import dev.komainu.intermediary.purge.PurgeMessages;
import dev.komainu.intermediary.purge.PurgeOrder;
import dev.komainu.intermediary.purge.PurgeProof;
import dev.komainu.intermediary.purge.PurgeRefusal;
import dev.komainu.organizer.front.PurgeRights;
import dev.komainu.organizer.member.Grants;
import dev.komainu.organizer.member.PresentedGrant;
import dev.komainu.organizer.route.MemberId;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The purge rights by grants: a member may purge in the whole cluster the prefixes that it may
 * announce. Each order is signed by its issuer, because other members pass it on. Thread-safe.
 */
final class GrantedPurges implements PurgeRights {

    private final Grants grants;
    private final String cluster;
    private final LongSupplier wallMillis;
    /** The last grant: orders of one incarnation come one after the other. */
    private volatile @Nullable PresentedGrant last;

    private GrantedPurges(Grants grants, String cluster, LongSupplier wallMillis) {
        this.grants = grants;
        this.cluster = cluster;
        this.wallMillis = wallMillis;
    }

    /** Returns the rights. Without a grant authority each member may purge everything. */
    static PurgeRights of(Grants grants, String cluster, LongSupplier wallMillis) {
        return grants.authority() == null
                ? UNRESTRICTED
                : new GrantedPurges(grants, cluster, wallMillis);
    }

    @Override
    public @Nullable PurgeRefusal ownRefusal(PurgeOrder order) {
        PresentedGrant own = grants.shown();
        return own == null ? PurgeRefusal.UNPROVEN : refusalOf(own, order);
    }

    @Override
    public @Nullable PurgeProof proof(PurgeLog.Entry entry) {
        PresentedGrant own = grants.shown();
        byte[] signature = grants.sign(signed(entry));
        return own == null || signature == null
                ? null
                : new PurgeProof(own.text(), Base64.getEncoder().encodeToString(signature));
    }

    @Override
    public @Nullable PurgeRefusal refusal(PurgeLog.Entry entry) {
        PurgeProof proof = entry.proof();
        int separator = entry.source().indexOf('@');
        if (proof == null || separator < 0) {
            return PurgeRefusal.UNPROVEN;
        }
        try {
            PresentedGrant grant = last;
            if (grant == null || !grant.text().equals(proof.grant())) {
                grant = grants.shownBy(proof.grant(), cluster);
                last = grant;
            }
            boolean isProven = grant.isOf(new MemberId(entry.source().substring(0, separator)))
                    && grant.hasSigned(
                            signed(entry), Base64.getDecoder().decode(proof.signature()));
            return isProven ? refusalOf(grant, entry.order()) : PurgeRefusal.UNPROVEN;
        } catch (IllegalArgumentException e) {
            return PurgeRefusal.UNPROVEN;
        }
    }

    private static byte[] signed(PurgeLog.Entry entry) {
        return PurgeMessages.line(entry).getBytes(StandardCharsets.UTF_8);
    }

    private @Nullable PurgeRefusal refusalOf(PresentedGrant grant, PurgeOrder order) {
        if (grant.isOver(wallMillis.getAsLong())) {
            return PurgeRefusal.EXPIRED_GRANT;
        }
        boolean isCovered = switch (order.target()) {
            // The scheme follows a blank in the key.
            case PurgeOrder.Uri uri -> grant.covers(uri.key().toString());
            case PurgeOrder.Prefix every -> grant.covers(every.text());
            // A tag has the same meaning on every host; a group belongs to one origin.
            case PurgeOrder.Labelled some ->
                some.labels().stream().map(Labels::originOf).allMatch(grant::covers);
        };
        return isCovered ? null : PurgeRefusal.OUTSIDE_GRANT;
    }
}
