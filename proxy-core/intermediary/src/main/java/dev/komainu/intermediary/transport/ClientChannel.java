package dev.komainu.intermediary.transport;

import dev.komainu.intermediary.buffer.SendShare;
import dev.komainu.intermediary.buffer.ShareLimitedChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.IovArray;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * An accepted connection on Netty's epoll loop, with as few system calls as possible.
 *
 * <pre>
 *   this:                accept4  read  [epoll_ctl when nothing was there]  writev  close
 *   EpollSocketChannel:  accept4  2 getsockname  2 setsockopt  getsockopt  2 epoll_ctl  recv  writev  getsockopt  epoll_ctl  close
 * </pre>
 *
 * A client that has already sent its request is read at once, and joins epoll only when more must
 * be awaited. Options are inherited from the listening socket, TCP_CORK among them: a connection
 * that is closed after its first response needs no call for it, any other connection one at its
 * first write. The local address is read when it is first requested. Everything on the loop.
 */
final class ClientChannel extends EpollStreamChannel
        implements ShareLimitedChannel, CorkableChannel {

    static final int IPPROTO_TCP = 6;
    static final int TCP_CORK = 3;

    private final InetSocketAddress peer;
    private boolean active = true;
    private boolean firstReadPending = true;
    /**
     * Whether TCP_CORK is set on the socket. An accepted socket inherits it, so it starts as true.
     */
    private boolean corked = true;

    private boolean corkedUntilClose;
    /** The limit of outstanding bytes; absent: the kernel's buffer is the limit. */
    private @Nullable SendShare sendShare;

    ClientChannel(Channel parent, int fd, InetSocketAddress peer) {
        super(parent, new FileDescriptor(fd));
        this.peer = peer;
    }

    @Override
    public boolean isActive() {
        return active;
    }

    @Override
    boolean isReadable() {
        return !firstReadPending;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return peer;
    }

    @Override
    protected void doClose() throws IOException {
        active = false;
        super.doClose();
    }

    /** Reads the bytes that arrived with the connection; from now on epoll reports more. */
    void readInitially() {
        if (firstReadPending) {
            firstReadPending = false;
            readIfRequested();
        }
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer out) throws Exception {
        if (corked && !corkedUntilClose) {
            corked = false;
            socket().setIntOpt(IPPROTO_TCP, TCP_CORK, 0);
        }
        SendShare share = sendShare;
        if (share == null) {
            super.doWrite(out);
        } else {
            writeWithinShare(share, out);
        }
    }

    /**
     * Writes one turn's bytes at most, and no more than may be outstanding. When the share is used
     * up, the peer must acknowledge bytes first, which epoll does not report; the share then
     * resumes writing.
     */
    private void writeWithinShare(SendShare share, ChannelOutboundBuffer out) throws Exception {
        if (share.isWaiting()) {
            endOutputWait();
            return;
        }
        int room = share.room();
        if (room == 0 && !out.isEmpty()) {
            endOutputWait();
            share.waitForAcks();
            return;
        }
        while (room > 0 && !out.isEmpty()) {
            IovArray vectors = vectors();
            if (out.current() instanceof ByteBuf first && first.readableBytes() >= room) {
                vectors.add(first, first.readerIndex(), room);
            } else {
                long usual = vectors.maxBytes();
                vectors.maxBytes(room);
                out.forEachFlushedMessage(vectors);
                vectors.maxBytes(usual);
            }
            long requestedBytes = vectors.size();
            long written = writeVectors(vectors);
            out.removeBytes(written);
            share.onWritten(written);
            room -= (int) written;
            if (written < requestedBytes) {
                break;
            }
        }
        if (out.isEmpty()) {
            endOutputWait();
        } else {
            awaitOutput();
        }
    }

    @Override
    public void setSendShare(@Nullable SendShare share) {
        sendShare = share;
    }

    @Override
    public @Nullable SendShare sendShare() {
        return sendShare;
    }

    @Override
    public Socket options() {
        return socket();
    }

    @Override
    public void resumeWriting() {
        if (active) {
            unsafe().flushNow();
        }
    }

    @Override
    public void corkUntilClose() {
        if (!active) {
            return;
        }
        corkedUntilClose = true;
        if (!corked) {
            corked = true;
            try {
                socket().setIntOpt(IPPROTO_TCP, TCP_CORK, 1);
            } catch (IOException e) {
                // The connection is broken, which the next write reports.
            }
        }
    }
}
