package dev.komainu.proxy.connection;

/**
 * How much of a resource is in use.
 *
 * @param used in the resource's own unit
 * @param limit likewise; not above 0: it cannot be told here
 */
public record ResourceUse(long used, long limit) {

    public static final ResourceUse UNKNOWN = new ResourceUse(0, 0);

    public boolean isKnown() {
        return limit > 0;
    }

    /** Of the limit; 0 when it cannot be told. */
    public double share() {
        return isKnown() ? (double) used / limit : 0;
    }
}
