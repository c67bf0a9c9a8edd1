package dev.komainu.central.room;

/**
 * The room of one place at the newest measurement.
 *
 * @param place {@code data}, {@code telemetry}, {@code postgresql} or {@link #RECORD_SERVER}
 * @param freeBytes bytes that this process can still use; −1 when they are not known
 * @param leastBytes free bytes below which the place counts as full
 * @param full whether there is too little room, or the reserve is not there
 * @param refusesBatches whether batches are refused because of it
 * @param reserved whether the reserve is there; false for a place without one
 */
public record RoomState(
        String place,
        long freeBytes,
        long leastBytes,
        boolean full,
        boolean refusesBatches,
        boolean reserved) {

    /** The disk of the ClickHouse server that keeps the telemetry. */
    public static final String RECORD_SERVER = "clickhouse";
}
