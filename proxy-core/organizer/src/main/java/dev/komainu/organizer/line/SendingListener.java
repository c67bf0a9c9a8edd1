package dev.komainu.organizer.line;

/**
 * The events of a stream for a side that only sends, on {@link LineStream#loop()}: of a promised
 * response the peer sends nothing else. No event follows {@link #ended}.
 */
public interface SendingListener {

    /** Called when the stream accepts more bytes again. */
    void writable();

    /** Called exactly once, when both directions have ended. */
    void ended(StreamEnd how);
}
