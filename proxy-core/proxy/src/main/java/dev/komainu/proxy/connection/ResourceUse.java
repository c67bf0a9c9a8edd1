package dev.komainu.proxy.connection;

/**
 * The use of a resource.
 *
 * @param used the used amount, in the resource's own unit
 * @param limit the limit, in the same unit; 0 or less when it is unknown here
 */
public record ResourceUse(long used, long limit) {

    public static final ResourceUse UNKNOWN = new ResourceUse(0, 0);

    public boolean isKnown() {
        return limit > 0;
    }

    /** Returns the used share of the limit; 0 when it is unknown. */
    public double share() {
        return isKnown() ? (double) used / limit : 0;
    }
}
