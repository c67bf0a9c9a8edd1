package dev.komainu.central.lease;

/**
 * The lease as the database has it.
 *
 * @param epoch number of take-overs so far; 0: never taken
 * @param holder name of the centre that took it last
 * @param address where the other centres reach the holder, as a URL; empty: the holder told none
 * @param secret what centres that forward requests show to the holder; empty: never taken
 * @param held whether it has not ended, by the database's clock
 */
public record Lease(long epoch, String holder, String address, String secret, boolean held) {

    /** The lease before anybody took it. */
    static final Lease NONE = new Lease(0, "", "", "", false);

    @Override
    public String toString() {
        return "Lease[epoch=" + epoch + ", holder=" + holder + ", held=" + held + "]";
    }
}
