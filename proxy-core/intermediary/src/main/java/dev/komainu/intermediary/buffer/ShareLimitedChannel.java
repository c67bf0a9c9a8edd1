package dev.komainu.intermediary.buffer;

import io.netty.channel.Channel;
import io.netty.channel.unix.Socket;
import org.jspecify.annotations.Nullable;

/** A client's channel whose outstanding bytes can be limited by a share. On its event loop. */
public interface ShareLimitedChannel extends Channel {

    /** Sets the share that limits writes from now on; absent: the kernel's buffer is the limit. */
    void setSendShare(@Nullable SendShare flow);

    /** Returns the share; absent when the kernel's buffer is the limit. */
    @Nullable
    SendShare sendShare();

    /** Returns the socket, for rare system calls. */
    Socket options();

    /** Resumes writing the bytes that wait. */
    void resumeWriting();
}
