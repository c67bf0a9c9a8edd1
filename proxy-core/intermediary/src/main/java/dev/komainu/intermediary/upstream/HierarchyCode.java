package dev.komainu.intermediary.upstream;

/**
 * How whoever was asked was found, in the words of Squid's log (its hierarchy codes), which other
 * caches' logs are read by.
 */
public enum HierarchyCode {
    /** The origin itself, by its name. */
    DIRECT("HIER_DIRECT"),
    /** The member of the cluster that owns the object: found by hashing, as cache arrays are. */
    OWNER("CARP"),
    /** The member of the cluster whose server was expected to be done first. */
    MEMBER("CLOSEST_PARENT");

    private final String text;

    HierarchyCode(String text) {
        this.text = text;
    }

    /** As lines tell it. */
    public String text() {
        return text;
    }

    /** Whether it is a member that is named, and no address. */
    public boolean isMember() {
        return this != DIRECT;
    }
}
