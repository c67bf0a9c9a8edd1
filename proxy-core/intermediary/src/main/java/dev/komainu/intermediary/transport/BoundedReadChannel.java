package dev.komainu.intermediary.transport;

import io.netty.channel.Channel;

/** A channel whose reads can be limited. On its event loop. */
public interface BoundedReadChannel extends Channel {

    /**
     * Limits the bytes of one read from the next one on, and so the memory that a slow reader of
     * these bytes occupies.
     *
     * @param bytes at least 1
     */
    void setMaxReadBytes(int bytes);
}
