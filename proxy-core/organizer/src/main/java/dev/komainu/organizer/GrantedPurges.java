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
 * Purges as grants bound them: a member may have purged, everywhere, what it may announce. Orders
 * are signed by who gives them, because they are passed on by others. Safe for threads.
 */
final class GrantedPurges implements PurgeRights {

    private final Grants grants;
    private final String cluster;
    private final LongSupplier wallMillis;
    /** Orders of one life come in a row. */
    private volatile @Nullable PresentedGrant last;

    private GrantedPurges(Grants grants, String cluster, LongSupplier wallMillis) {
        this.grants = grants;
        this.cluster = cluster;
        this.wallMillis = wallMillis;
    }

    /** Without an authority whoever may join may purge. */
    static PurgeRights of(Grants grants, String cluster, LongSupplier wallMillis) {
        return grants.authority() == null
                ? EVERYBODY
                : new GrantedPurges(grants, cluster, wallMillis);
    }

    @Override
    public @Nullable PurgeRefusal ownRefusal(PurgeOrder order) {
        PresentedGrant own = grants.shown();
        return own == null ? PurgeRefusal.UNPROVEN : judged(own, order);
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
        int at = entry.source().indexOf('@');
        if (proof == null || at < 0) {
            return PurgeRefusal.UNPROVEN;
        }
        try {
            PresentedGrant grant = last;
            if (grant == null || !grant.text().equals(proof.grant())) {
                grant = grants.shownBy(proof.grant(), cluster);
                last = grant;
            }
            boolean isItsOwn = grant.isOf(new MemberId(entry.source().substring(0, at)))
                    && grant.hasSigned(
                            signed(entry), Base64.getDecoder().decode(proof.signature()));
            return isItsOwn ? judged(grant, entry.order()) : PurgeRefusal.UNPROVEN;
        } catch (IllegalArgumentException e) {
            return PurgeRefusal.UNPROVEN;
        }
    }

    private static byte[] signed(PurgeLog.Entry entry) {
        return PurgeMessages.line(entry).getBytes(StandardCharsets.UTF_8);
    }

    private @Nullable PurgeRefusal judged(PresentedGrant grant, PurgeOrder order) {
        if (grant.isOver(wallMillis.getAsLong())) {
            return PurgeRefusal.EXPIRED_GRANT;
        }
        boolean isInside = switch (order.target()) {
            // Behind a blank stands the scheme.
            case PurgeOrder.Uri uri -> grant.covers(uri.key().toString());
            case PurgeOrder.Prefix every -> grant.covers(every.text());
            // A tag means the same on every host; a group is one origin's.
            case PurgeOrder.Labelled some ->
                some.labels().stream().map(Labels::originOf).allMatch(grant::covers);
        };
        return isInside ? null : PurgeRefusal.OUTSIDE_GRANT;
    }
}
