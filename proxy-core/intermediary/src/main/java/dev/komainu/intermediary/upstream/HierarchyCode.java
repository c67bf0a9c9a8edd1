package dev.komainu.intermediary.upstream;

/**
 * The way in which an upstream was found, in the terms of Squid's log (its hierarchy codes). Tools
 * that read cache logs know them.
 */
public enum HierarchyCode {
    /** The origin itself, by its name. */
    DIRECT("HIER_DIRECT"),
    /** The member of the cluster that owns the object, found by hashing as in cache arrays. */
    OWNER("CARP"),
    /** The member of the cluster whose server was expected to finish first. */
    MEMBER("CLOSEST_PARENT");

    private final String text;

    HierarchyCode(String text) {
        this.text = text;
    }

    /** Returns the code as log lines contain it. */
    public String text() {
        return text;
    }

    /** Reports whether the upstream is named by its member, not by an address. */
    public boolean isMember() {
        return this != DIRECT;
    }
}
