package dev.komainu.intermediary.purge;

/** The reason why a member does not carry out an order. */
public enum PurgeRefusal {
    /** The order is from its issuer, whose grant does not permit it. */
    OUTSIDE_GRANT("outside-grant"),
    /** The order is from its issuer, whose grant has expired. */
    EXPIRED_GRANT("expired-grant"),
    /** The issuer is not proven: no grant of this cluster, or no signature of the grant's owner. */
    UNPROVEN("unproven");

    private final String text;

    PurgeRefusal(String text) {
        this.text = text;
    }

    /**
     * Reports whether the order is proven to be its issuer's: then the issuer's next order may
     * follow.
     */
    public boolean isProven() {
        return this != UNPROVEN;
    }

    public String text() {
        return text;
    }

    /**
     * Parses a reason.
     *
     * @throws IllegalArgumentException for any other text
     */
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
