package dev.komainu.intermediary.transport;

import dev.komainu.intermediary.buffer.SendShare;
import dev.komainu.intermediary.buffer.ShareLimitedChannel;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.IovArray;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannelUtil;
import io.netty.util.concurrent.FastThreadLocal;
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
 * first write. The local address is read when it is first requested. Level-triggered. When reading
 * is switched off, epoll is updated only if bytes arrive meanwhile.
 *
 * <p>The end of the input is reported as {@link ChannelInputShutdownEvent} where half-closing is
 * allowed; otherwise it closes the channel. Everything on the loop.
 */
final class ClientChannel extends AbstractChannel
        implements DuplexChannel, ShareLimitedChannel, CorkableChannel {

    private static final ChannelMetadata METADATA = new ChannelMetadata(false);
    /** The size of most requests; uploads and tunnels soon read more at once. */
    private static final int SMALL_READ = 2048;

    private static final int LARGE_READ = 64 * 1024;
    /** Reads of one connection in a turn of the loop, at most. */
    private static final int READS_PER_TURN = 16;

    private static final int WRITES_PER_TURN = 16;
    private static final int ERROR = EpollIoOps.EPOLLERR.value();
    private static final int IN = EpollIoOps.EPOLLIN.value();
    private static final int OUT = EpollIoOps.EPOLLOUT.value();
    private static final int HANG_UP = 0x10;
    static final int IPPROTO_TCP = 6;
    static final int TCP_CORK = 3;

    /** The gathered buffers of a write; one for each loop. */
    private static final FastThreadLocal<IovArray> VECTORS = new FastThreadLocal<>() {
        @Override
        protected IovArray initialValue() {
            return new IovArray();
        }

        @Override
        protected void onRemoval(IovArray vectors) {
            vectors.release();
        }
    };

    private final FileDescriptor fd;
    private final InetSocketAddress peer;
    private final ClientChannelConfig config = new ClientChannelConfig(this);
    private final Handle handle = new Handle();
    private @Nullable IoRegistration registration;
    private boolean active = true;
    private boolean firstReadPending = true;
    private boolean reading;
    private boolean readRequested;
    private boolean inputEnded;
    private boolean outputEnded;
    /**
     * Whether TCP_CORK is set on the socket. An accepted socket inherits it, so it starts as true.
     */
    private boolean corked = true;

    private boolean corkedUntilClose;
    private int registeredOps;
    private int readSize = SMALL_READ;
    /** The limit of outstanding bytes; absent: the kernel's buffer is the limit. */
    private @Nullable SendShare sendShare;

    ClientChannel(Channel parent, int fd, InetSocketAddress peer) {
        super(parent, new ClientChannelId());
        this.fd = new FileDescriptor(fd);
        this.peer = peer;
    }

    @Override
    public ClientChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public boolean isOpen() {
        return fd.isOpen();
    }

    @Override
    public boolean isActive() {
        return active;
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop io && io.isCompatible(Handle.class);
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new ClientUnsafe();
    }

    @Override
    protected SocketAddress localAddress0() {
        return socket().localAddress();
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return peer;
    }

    /** Returns the same descriptor, for rare system calls. It is never closed itself. */
    Socket socket() {
        return new Socket(fd.intValue());
    }

    @Override
    protected void doBind(SocketAddress address) {
        throw new UnsupportedOperationException("bind");
    }

    @Override
    protected void doDisconnect() throws IOException {
        doClose();
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        promise.setSuccess();
    }

    @Override
    protected void doDeregister() {
        IoRegistration previous = registration;
        registration = null;
        registeredOps = 0;
        if (previous != null) {
            previous.cancel();
        }
    }

    /**
     * Closes the descriptor, which removes it from epoll, and then deregisters: the loop need not
     * remove it.
     */
    @Override
    protected void doClose() throws IOException {
        active = false;
        inputEnded = true;
        try {
            fd.close();
        } finally {
            doDeregister();
        }
    }

    /** Registers the awaited events with epoll when they have changed. */
    private void setOps(int ops) {
        if (registeredOps == ops || !active) {
            return;
        }
        IoRegistration current = registration;
        if (current == null) {
            // On the loop itself the registration is complete when the call returns.
            current = ((IoEventLoop) eventLoop()).register(handle).getNow();
            registration = current;
        }
        registeredOps = ops;
        current.submit(EpollIoOps.valueOf(ops | ERROR));
    }

    // Reading.

    @Override
    protected void doBeginRead() {
        readRequested = true;
        if (!firstReadPending && !inputEnded) {
            setOps(registeredOps | IN);
        }
    }

    /**
     * Withdraws a requested read when reading is switched off. Epoll is updated when bytes arrive.
     */
    void onAutoReadCleared() {
        if (eventLoop().inEventLoop()) {
            readRequested = false;
        } else {
            eventLoop().execute(() -> readRequested &= config.isAutoRead());
        }
    }

    /** Reads the bytes that arrived with the connection; from now on epoll reports more. */
    void readInitially() {
        if (!firstReadPending) {
            return;
        }
        firstReadPending = false;
        if (readRequested && active) {
            read0();
        }
        if (readRequested && active && !inputEnded) {
            setOps(registeredOps | IN);
        }
    }

    private void read0() {
        if (reading || inputEnded) {
            return;
        }
        reading = true;
        boolean receivedAny = false;
        boolean ended = false;
        try {
            for (int reads = 0;
                    reads < READS_PER_TURN && (readRequested || config.isAutoRead());
                    reads++) {
                int size = readSize;
                ByteBuf in = config.getAllocator().directBuffer(size);
                int count = 0;
                try {
                    count = receive(in, size);
                } finally {
                    if (count <= 0) {
                        in.release();
                    }
                }
                if (count <= 0) {
                    ended = count < 0;
                    break;
                }
                readRequested = false;
                receivedAny = true;
                readSize = count == size
                        ? Math.min(LARGE_READ, size * 4)
                        : count < size / 4 ? SMALL_READ : size;
                pipeline().fireChannelRead(in);
                if (count < size || !active) {
                    break;
                }
            }
            if (receivedAny) {
                pipeline().fireChannelReadComplete();
            }
        } catch (IOException e) {
            if (receivedAny) {
                pipeline().fireChannelReadComplete();
            }
            pipeline().fireExceptionCaught(e);
            unsafe().close(voidPromise());
        } finally {
            reading = false;
        }
        if (ended && active) {
            inputEnded();
        }
    }

    /**
     * Reads into a buffer.
     *
     * @return 0 when no bytes are available, -1 at the end of the input
     */
    private int receive(ByteBuf in, int size) throws IOException {
        int count = in.hasMemoryAddress()
                ? fd.readAddress(in.memoryAddress(), 0, size)
                : fd.read(in.internalNioBuffer(0, size), 0, size);
        if (count > 0) {
            in.writerIndex(count);
        }
        return count;
    }

    private void inputEnded() {
        inputEnded = true;
        if (!config.isAllowHalfClosure()) {
            unsafe().close(voidPromise());
            return;
        }
        pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        if (active) {
            setOps(registeredOps & ~IN);
        }
    }

    private void onReady(int ops) {
        if ((ops & (OUT | ERROR)) != 0 && (registeredOps & OUT) != 0) {
            ((ClientUnsafe) unsafe()).flushNow();
        }
        if (active && (ops & (IN | ERROR | HANG_UP)) != 0) {
            if (inputEnded) {
                // No more input follows, and nothing can be sent: the peer has closed.
                if ((ops & (ERROR | HANG_UP)) != 0) {
                    unsafe().close(voidPromise());
                }
            } else if (readRequested || config.isAutoRead() || (ops & (ERROR | HANG_UP)) != 0) {
                readRequested |= (ops & (ERROR | HANG_UP)) != 0;
                read0();
            }
            if (active && !readRequested && !config.isAutoRead()) {
                setOps(registeredOps & ~IN);
            }
        }
    }

    // Writing.

    @Override
    protected Object filterOutboundMessage(Object message) {
        if (message instanceof ByteBuf bytes) {
            return UnixChannelUtil.isBufferCopyNeededForWrite(bytes) ? direct(bytes) : bytes;
        }
        throw new UnsupportedOperationException(
                "write: " + message.getClass().getName() + " (expected: ByteBuf)");
    }

    private ByteBuf direct(ByteBuf bytes) {
        ByteBuf copy = config.getAllocator().directBuffer(bytes.readableBytes());
        copy.writeBytes(bytes, bytes.readerIndex(), bytes.readableBytes());
        bytes.release();
        return copy;
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer out) throws Exception {
        if (corked && !corkedUntilClose) {
            corked = false;
            socket().setIntOpt(IPPROTO_TCP, TCP_CORK, 0);
        }
        SendShare share = sendShare;
        if (share != null) {
            writeWithinShare(share, out);
            return;
        }
        for (int writes = 0; writes < WRITES_PER_TURN; writes++) {
            if (out.isEmpty()) {
                setOps(registeredOps & ~OUT);
                return;
            }
            long requestedBytes;
            long written;
            if (out.size() == 1
                    && out.current() instanceof ByteBuf only
                    && only.hasMemoryAddress()) {
                requestedBytes = only.readableBytes();
                written = requestedBytes == 0
                        ? 0
                        : fd.writeAddress(
                                only.memoryAddress(), only.readerIndex(), only.writerIndex());
            } else {
                IovArray vectors = VECTORS.get();
                vectors.clear();
                out.forEachFlushedMessage(vectors);
                requestedBytes = vectors.size();
                written = requestedBytes == 0
                        ? 0
                        : fd.writevAddresses(vectors.memoryAddress(0), vectors.count());
            }
            // Also removes empty buffers.
            out.removeBytes(written);
            if (written < requestedBytes) {
                break;
            }
        }
        setOps(registeredOps | OUT);
    }

    /**
     * Writes one turn's bytes at most, and no more than may be outstanding. When the share is used
     * up, the peer must acknowledge bytes first, which epoll does not report; the share then
     * resumes writing.
     */
    private void writeWithinShare(SendShare share, ChannelOutboundBuffer out) throws Exception {
        if (share.isWaiting()) {
            setOps(registeredOps & ~OUT);
            return;
        }
        int room = share.room();
        if (room == 0 && !out.isEmpty()) {
            setOps(registeredOps & ~OUT);
            share.waitForAcks();
            return;
        }
        while (room > 0 && !out.isEmpty()) {
            IovArray vectors = VECTORS.get();
            vectors.clear();
            if (out.current() instanceof ByteBuf first && first.readableBytes() >= room) {
                vectors.add(first, first.readerIndex(), room);
            } else {
                long usual = vectors.maxBytes();
                vectors.maxBytes(room);
                out.forEachFlushedMessage(vectors);
                vectors.maxBytes(usual);
            }
            long requestedBytes = vectors.size();
            long written = requestedBytes == 0
                    ? 0
                    : fd.writevAddresses(vectors.memoryAddress(0), vectors.count());
            out.removeBytes(written);
            share.onWritten(written);
            room -= (int) written;
            if (written < requestedBytes) {
                break;
            }
        }
        setOps(out.isEmpty() ? registeredOps & ~OUT : registeredOps | OUT);
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
            ((ClientUnsafe) unsafe()).flushNow();
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

    @Override
    protected void doShutdownOutput() throws IOException {
        outputEnded = true;
        socket().shutdown(false, true);
    }

    @Override
    public boolean isInputShutdown() {
        return inputEnded;
    }

    @Override
    public boolean isOutputShutdown() {
        return outputEnded || !active;
    }

    @Override
    public boolean isShutdown() {
        return isInputShutdown() && isOutputShutdown();
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        if (eventLoop().inEventLoop()) {
            ((AbstractUnsafe) unsafe()).shutdownOutput(promise);
        } else {
            eventLoop().execute(() -> ((AbstractUnsafe) unsafe()).shutdownOutput(promise));
        }
        return promise;
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        return promise.setFailure(new UnsupportedOperationException("shutdownInput"));
    }

    @Override
    public ChannelFuture shutdown() {
        return close();
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        return close(promise);
    }

    private final class ClientUnsafe extends AbstractUnsafe {
        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            promise.setFailure(new UnsupportedOperationException("connect"));
        }

        /** Does nothing while epoll waits for room: it calls when there is some. */
        @Override
        protected void flush0() {
            if ((registeredOps & OUT) == 0) {
                super.flush0();
            }
        }

        void flushNow() {
            super.flush0();
        }
    }

    /** The handle of this channel in epoll. */
    private final class Handle implements EpollIoHandle {
        @Override
        public FileDescriptor fd() {
            return fd;
        }

        @Override
        public void handle(IoRegistration current, IoEvent event) {
            onReady(((EpollIoEvent) event).ops().value());
        }

        @Override
        public void close() {
            unsafe().close(voidPromise());
        }
    }
}
