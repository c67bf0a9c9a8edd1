package dev.komainu.intermediary.transport;

/**
 * A channel that can hold back its last segment until it is closed. FIN then travels with the last
 * bytes, instead of in a segment of its own that both hosts must process.
 */
public interface CorkableChannel {

    /**
     * Holds back a segment that is not full until the channel is closed, at most 200 ms (TCP_CORK,
     * tcp(7)). It is called before the last write. On the channel's event loop.
     */
    void corkUntilClose();
}
