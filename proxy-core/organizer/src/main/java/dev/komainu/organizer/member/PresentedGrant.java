package dev.komainu.organizer.member;

import dev.komainu.organizer.route.MemberId;

/** A grant of this cluster's authority, as its receivers may use it. Thread-safe. */
public final class PresentedGrant {

    private final Grant grant;

    PresentedGrant(Grant grant) {
        this.grant = grant;
    }

    /** Returns the whole text of the grant. */
    public String text() {
        return grant.text();
    }

    public boolean isOf(MemberId member) {
        return grant.member().equals(member);
    }

    /**
     * Returns whether the grant has expired.
     *
     * @param nowMillis since the epoch
     */
    public boolean isOver(long nowMillis) {
        return nowMillis >= grant.untilMillis();
    }

    /** Returns whether the grant's owner has signed the message. */
    public boolean hasSigned(byte[] message, byte[] signature) {
        return Grant.verifies(grant.key(), message, signature);
    }

    /**
     * Returns whether the grant covers all URLs that start with a text.
     *
     * @param url {@code HOST/PATH}; without a slash it is the start of host names, and empty means
     *     all
     */
    public boolean covers(String url) {
        return grant.prefixes().stream().anyMatch(prefix -> prefix.coversAll(url));
    }
}
