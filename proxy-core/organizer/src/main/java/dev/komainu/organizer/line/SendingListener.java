package dev.komainu.organizer.line;

/**
 * What who only sends hears of a stream, on {@link LineStream#loop()}: of an answer that was
 * promised the peer says nothing else. After {@link #ended} nothing more.
 */
public interface SendingListener {

    /** There is room for more bytes again. */
    void writable();

    /** Both directions are over; told exactly once. */
    void ended(StreamEnd how);
}
