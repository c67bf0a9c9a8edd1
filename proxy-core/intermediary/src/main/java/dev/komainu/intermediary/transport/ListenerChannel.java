package dev.komainu.intermediary.transport;

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.NativeInetAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A listening socket on Netty's epoll loop that shares its port (SO_REUSEPORT) and accepts
 * {@link ClientChannel}s. For an IPv4 address it is an IPv4 socket, which saves the kernel a mapped
 * address in each packet's first look-up. Everything on its loop, except the constructor.
 */
final class ListenerChannel extends AbstractServerChannel {

    private static final int ACCEPTS_PER_TURN = 64;
    /**
     * Connections that are accepted before the first of them is read. Most requests arrive in the
     * meantime, so that these connections need not wait in epoll.
     */
    private static final int ACCEPTS_PER_READ = 16;

    private static final EpollIoOps CONNECTIONS = EpollIoOps.EPOLLIN;
    /**
     * Not {@code NONE}: Netty 4.2.17 removes a descriptor from epoll for that, and fails to add it
     * again.
     */
    private static final EpollIoOps NOTHING = EpollIoOps.EPOLLERR;

    private static final class ListeningSocket extends Socket {
        ListeningSocket(boolean ipv6) {
            super(newSocketStream0(ipv6));
        }
    }

    private final Socket socket;
    private final ListenerConfig config = new ListenerConfig(this);
    private final Handle handle = new Handle();
    private final byte[] accepted = new byte[26];
    private final List<ClientChannel> unread = new ArrayList<>(ACCEPTS_PER_READ);
    private @Nullable IoRegistration registration;
    private volatile boolean active;
    private boolean readRequested;
    private boolean watching;

    /**
     * Creates the socket without binding it.
     *
     * @param address determines IPv4 or IPv6
     */
    ListenerChannel(InetSocketAddress address) {
        socket = new ListeningSocket(address.getAddress() instanceof Inet6Address);
        try {
            socket.setReuseAddress(true);
            socket.setReusePort(true);
            socket.setTcpNoDelay(true);
            // Inherited by accepted sockets, see ClientChannel.
            socket.setIntOpt(ClientChannel.IPPROTO_TCP, ClientChannel.TCP_CORK, 1);
        } catch (IOException e) {
            throw new ChannelException(e);
        }
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return socket.isOpen();
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
    protected SocketAddress localAddress0() {
        return socket.localAddress();
    }

    @Override
    protected void doBind(SocketAddress address) throws IOException {
        socket.bind(address);
        socket.listen(config.backlog);
        active = true;
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        ((IoEventLoop) eventLoop()).register(handle).addListener(done -> {
            if (done.isSuccess()) {
                registration = (IoRegistration) done.getNow();
                promise.setSuccess();
            } else {
                promise.setFailure(done.cause());
            }
        });
    }

    @Override
    protected void doDeregister() {
        IoRegistration previous = registration;
        registration = null;
        if (previous != null) {
            previous.cancel();
        }
    }

    @Override
    protected void doClose() throws IOException {
        active = false;
        try {
            doDeregister();
        } finally {
            socket.close();
        }
    }

    @Override
    protected void doBeginRead() {
        readRequested = true;
        setWatching(true);
    }

    /** Stops accepting when it is switched off: for a second when no descriptors are left. */
    private void onAutoReadCleared() {
        if (eventLoop().inEventLoop()) {
            readRequested = false;
        } else {
            eventLoop().execute(() -> readRequested &= config.isAutoRead());
        }
    }

    private void setWatching(boolean on) {
        IoRegistration current = registration;
        if (current != null && watching != on) {
            watching = on;
            current.submit(on ? CONNECTIONS : NOTHING);
        }
    }

    private void acceptReady() {
        Throwable failure = null;
        try {
            for (int i = 0;
                    i < ACCEPTS_PER_TURN && active && (readRequested || config.isAutoRead());
                    i++) {
                int fd = socket.accept(accepted);
                if (fd < 0) {
                    break;
                }
                readRequested = false;
                ClientChannel client = new ClientChannel(
                        this, fd, NativeInetAddress.address(accepted, 1, accepted[0]));
                unread.add(client);
                pipeline().fireChannelRead(client);
                if (unread.size() == ACCEPTS_PER_READ) {
                    readAccepted();
                }
            }
        } catch (IOException e) {
            failure = e;
        }
        readAccepted();
        pipeline().fireChannelReadComplete();
        if (failure != null) {
            pipeline().fireExceptionCaught(failure);
        }
        if (!readRequested && !config.isAutoRead()) {
            setWatching(false);
        }
    }

    private void readAccepted() {
        for (ClientChannel client : unread) {
            client.readInitially();
        }
        unread.clear();
    }

    /**
     * The options: only the backlog is stored here; those of the socket were set when it was
     * created.
     */
    // ChannelOptions are constants, compared by identity as in Netty's own configurations.
    @SuppressWarnings("ReferenceEquality")
    private static final class ListenerConfig extends DefaultChannelConfig {
        private int backlog = 4096;

        ListenerConfig(ListenerChannel channel) {
            super(channel);
        }

        @Override
        protected void autoReadCleared() {
            ((ListenerChannel) channel).onAutoReadCleared();
        }

        @Override
        public <T> boolean setOption(ChannelOption<T> option, T value) {
            if (option == ChannelOption.SO_BACKLOG) {
                backlog = (Integer) value;
                return true;
            }
            return option == ChannelOption.SO_REUSEADDR || super.setOption(option, value);
        }
    }

    /** The handle of this channel in epoll. */
    private final class Handle implements EpollIoHandle {
        @Override
        public FileDescriptor fd() {
            return socket;
        }

        @Override
        public void handle(IoRegistration current, IoEvent event) {
            acceptReady();
        }

        @Override
        public void close() {
            unsafe().close(voidPromise());
        }
    }
}
