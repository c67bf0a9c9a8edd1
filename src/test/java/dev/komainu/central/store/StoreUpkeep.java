package dev.komainu.central.store;

/** The upkeep of a store at an instant that a test chooses, for tests of other packages. */
public final class StoreUpkeep {

    private StoreUpkeep() {}

    /** Makes the roll-ups of closed days, and deletes old files. */
    public static void run(DuckStore store) throws InterruptedException {
        store.runUpkeep();
    }
}
