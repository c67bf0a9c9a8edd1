package dev.komainu.central.room;

/** A store that can delete its oldest content. Any thread. */
public interface RoomRelief {

    /**
     * Requests the deletion of the oldest days, before they reach their age, until as many bytes
     * are free or no more may be deleted. Returns at once.
     */
    void makeRoom(long bytes);
}
