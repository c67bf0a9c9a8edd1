package dev.komainu.intermediary.buffer;

import io.netty.channel.Channel;
import io.netty.channel.unix.Socket;
import org.jspecify.annotations.Nullable;

/** A client's channel that can be held to a share. On its event loop. */
public interface ShareLimitedChannel extends Channel {

    /** From now on it writes no more than this allows; absent: what the kernel takes. */
    void setSendShare(@Nullable SendShare flow);

    @Nullable
    SendShare sendShare();

    /** Its socket's rare calls. */
    Socket options();

    /** What waits to be written may be looked at again. */
    void resumeWriting();
}
