package dev.komainu.organizer.member;

import dev.komainu.organizer.route.MemberId;

/** A grant of this cluster's authority, as whoever is shown it may use it. Safe for threads. */
public final class PresentedGrant {

    private final Grant grant;

    PresentedGrant(Grant grant) {
        this.grant = grant;
    }

    /** All of it. */
    public String text() {
        return grant.text();
    }

    public boolean isOf(MemberId member) {
        return grant.member().equals(member);
    }

    /** @param nowMillis since the epoch */
    public boolean isOver(long nowMillis) {
        return nowMillis >= grant.untilMillis();
    }

    /** Whether its owner has signed that. */
    public boolean hasSigned(byte[] said, byte[] signature) {
        return Grant.verifies(grant.key(), said, signature);
    }

    /**
     * Whether all URLs that begin so are inside.
     *
     * @param url {@code HOST/PATH}; without a slash it is the beginning of hosts' names, and empty
     *     of all
     */
    public boolean covers(String url) {
        return grant.prefixes().stream().anyMatch(prefix -> prefix.coversAll(url));
    }
}
