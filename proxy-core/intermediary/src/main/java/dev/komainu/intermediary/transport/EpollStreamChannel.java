package dev.komainu.intermediary.transport;

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
import io.netty.channel.unix.UnixChannel;
import io.netty.channel.unix.UnixChannelUtil;
import io.netty.util.concurrent.FastThreadLocal;
import java.io.IOException;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A TCP connection on Netty's epoll loop, with as few system calls as possible. Level-triggered.
 * When reading is switched off, epoll is updated only if bytes arrive meanwhile.
 *
 * <p>The size of a read follows the bytes of the last turns, so that one call usually reads all of
 * them. The end of the input is reported as {@link ChannelInputShutdownEvent} where half-closing is
 * allowed; otherwise it closes the channel. Everything on the loop.
 */
abstract class EpollStreamChannel extends AbstractChannel
        implements DuplexChannel, UnixChannel, BoundedReadChannel {

    private static final ChannelMetadata METADATA = new ChannelMetadata(false);
    /** The size of most messages; uploads, large responses and tunnels soon read more at once. */
    private static final int LEAST_READ = 2048;

    private static final int LARGEST_READ = 64 * 1024;
    /** Reads of one connection in a turn of the loop, at most. */
    private static final int READS_PER_TURN = 16;

    private static final int WRITES_PER_TURN = 16;
    private static final int ERROR = EpollIoOps.EPOLLERR.value();
    private static final int IN = EpollIoOps.EPOLLIN.value();
    static final int OUT = EpollIoOps.EPOLLOUT.value();
    private static final int HANG_UP = 0x10;

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

    final FileDescriptor fd;
    private final EpollStreamChannelConfig config = new EpollStreamChannelConfig(this);
    private final Handle handle = new Handle();
    private @Nullable IoRegistration registration;
    private boolean reading;
    private boolean readRequested;
    private boolean inputEnded;
    private boolean outputEnded;
    private int registeredOps;
    private int readSize = LEAST_READ;
    private int mostReadBytes = LARGEST_READ;
    /** Whether the last turn's bytes would have fitted into a quarter of the read size. */
    private boolean wasOversized;

    EpollStreamChannel(@Nullable Channel parent, FileDescriptor fd) {
        super(parent, new StreamChannelId());
        this.fd = fd;
    }

    /** Reports whether bytes may be read now. */
    abstract boolean isReadable();

    @Override
    public EpollStreamChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public FileDescriptor fd() {
        return fd;
    }

    @Override
    public boolean isOpen() {
        return fd.isOpen();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop io && io.isCompatible(Handle.class);
    }

    @Override
    protected StreamUnsafe newUnsafe() {
        return new StreamUnsafe();
    }

    @Override
    protected SocketAddress localAddress0() {
        return socket().localAddress();
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
        inputEnded = true;
        try {
            fd.close();
        } finally {
            doDeregister();
        }
    }

    /** Registers the awaited events with epoll when they have changed. */
    private void setOps(int ops) {
        if (registeredOps == ops || !isOpen()) {
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
    public void setMaxReadBytes(int bytes) {
        mostReadBytes = Math.min(LARGEST_READ, bytes);
    }

    @Override
    protected void doBeginRead() {
        readRequested = true;
        awaitInput();
    }

    /** Waits for bytes when they are wanted. */
    final void awaitInput() {
        if (readRequested && isReadable() && !inputEnded) {
            setOps(registeredOps | IN);
        }
    }

    /** Waits for room for output, or for the end of a connect. */
    final void awaitOutput() {
        setOps(registeredOps | OUT);
    }

    /** Stops waiting for room. */
    final void endOutputWait() {
        setOps(registeredOps & ~OUT);
    }

    /** Replaces the wait for the end of a connect by the one for input, if that is wanted. */
    final void endConnectWait() {
        setOps(config.isAutoRead() ? IN : 0);
    }

    /**
     * Withdraws a requested read when reading is switched off. Epoll is updated when bytes arrive.
     */
    void onAutoReadCleared() {
        if (!isRegistered() || eventLoop().inEventLoop()) {
            readRequested = false;
        } else {
            eventLoop().execute(() -> readRequested &= config.isAutoRead());
        }
    }

    /** Reads bytes that have probably arrived, when they are wanted. */
    final void readIfRequested() {
        if (readRequested && isActive()) {
            read0();
        }
        if (isActive()) {
            awaitInput();
        }
    }

    private void read0() {
        if (reading || inputEnded) {
            return;
        }
        reading = true;
        int received = 0;
        boolean ended = false;
        try {
            for (int reads = 0;
                    reads < READS_PER_TURN && (readRequested || config.isAutoRead());
                    reads++) {
                int size = Math.min(readSize, mostReadBytes);
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
                received += count;
                adaptReadSize(received);
                pipeline().fireChannelRead(in);
                if (count < size || !isActive()) {
                    break;
                }
            }
            if (received > 0) {
                pipeline().fireChannelReadComplete();
            }
        } catch (IOException e) {
            if (received > 0) {
                pipeline().fireChannelReadComplete();
            }
            pipeline().fireExceptionCaught(e);
            unsafe().close(voidPromise());
        } finally {
            reading = false;
        }
        if (ended && isActive()) {
            inputEnded();
        }
    }

    /**
     * Adapts the size of the next read to the bytes of this turn: it grows at once and shrinks
     * after two small turns, because a single small message among large ones says little.
     */
    private void adaptReadSize(int received) {
        if (received >= readSize) {
            readSize = received >= LARGEST_READ / 2
                    ? LARGEST_READ
                    : Integer.highestOneBit(received) * 2;
            wasOversized = false;
        } else if (received < readSize / 4) {
            if (wasOversized) {
                readSize = Math.max(LEAST_READ, readSize / 2);
            }
            wasOversized = !wasOversized;
        } else {
            wasOversized = false;
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
        if (isActive()) {
            setOps(registeredOps & ~IN);
        }
    }

    /** Handles the events that epoll reports. */
    void onReady(int ops) {
        if ((ops & (OUT | ERROR)) != 0 && (registeredOps & OUT) != 0) {
            unsafe().flushNow();
        }
        if (isActive() && (ops & (IN | ERROR | HANG_UP)) != 0) {
            if (inputEnded) {
                // No more input follows, and nothing can be sent: the peer has closed.
                if ((ops & (ERROR | HANG_UP)) != 0) {
                    unsafe().close(voidPromise());
                }
            } else if (readRequested || config.isAutoRead() || (ops & (ERROR | HANG_UP)) != 0) {
                readRequested |= (ops & (ERROR | HANG_UP)) != 0;
                read0();
            }
            if (isActive() && !readRequested && !config.isAutoRead()) {
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
        for (int writes = 0; writes < WRITES_PER_TURN; writes++) {
            if (out.isEmpty()) {
                endOutputWait();
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
                IovArray vectors = vectors();
                out.forEachFlushedMessage(vectors);
                requestedBytes = vectors.size();
                written = writeVectors(vectors);
            }
            // Also removes empty buffers.
            out.removeBytes(written);
            if (written < requestedBytes) {
                break;
            }
        }
        awaitOutput();
    }

    /** Returns the loop's array of gathered buffers, empty. */
    static IovArray vectors() {
        IovArray vectors = VECTORS.get();
        vectors.clear();
        return vectors;
    }

    /** Writes gathered buffers and returns the bytes that the socket accepted. */
    final long writeVectors(IovArray vectors) throws IOException {
        return vectors.size() == 0
                ? 0
                : fd.writevAddresses(vectors.memoryAddress(0), vectors.count());
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
        return outputEnded || !isActive();
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
            unsafe().shutdownOutput(promise);
        } else {
            eventLoop().execute(() -> unsafe().shutdownOutput(promise));
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

    @Override
    public StreamUnsafe unsafe() {
        return (StreamUnsafe) super.unsafe();
    }

    class StreamUnsafe extends AbstractUnsafe {
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
