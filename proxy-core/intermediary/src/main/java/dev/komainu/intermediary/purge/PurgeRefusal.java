package dev.komainu.intermediary.purge;

/** Why a member does not carry out an order. */
public enum PurgeRefusal {
    /** It is its giver's, who may not order that. */
    OUTSIDE_GRANT("outside-grant"),
    /** It is its giver's, who may order nothing any more. */
    EXPIRED_GRANT("expired-grant"),
    /**
     * Nothing shows whose it is: no grant of this cluster, or no signature of the grant's owner.
     */
    UNPROVEN("unproven");

    private final String text;

    PurgeRefusal(String text) {
        this.text = text;
    }

    /** Whether its giver did give it: then his next one may follow. */
    public boolean isProven() {
        return this != UNPROVEN;
    }

    public String text() {
        return text;
    }

    /** @throws IllegalArgumentException when it is none */
    static PurgeRefusal parse(String text) {
        for (PurgeRefusal refusal : values()) {
            if (refusal.text.equals(text)) {
                return refusal;
            }
        }
        throw new IllegalArgumentException(
                text + " (expected: outside-grant, expired-grant or unproven)");
    }
}
