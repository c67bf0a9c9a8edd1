package dev.komainu.organizer.member;

import dev.komainu.organizer.peer.PeerConnections;
import dev.komainu.organizer.peer.PeerConnections.Lifetime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.jgroups.util.DefaultSocketFactory;
import org.jgroups.util.SocketFactory;
import org.jgroups.util.TLS;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS sockets of the group: TLS 1.3, certificates of both sides, and handshakes with a timeout
 * at both ends. JGroups itself waits for handshakes without a limit, while it holds a lock that its
 * only acceptor needs.
 */
final class GroupTls extends TLS {

    private static final Logger LOG = LoggerFactory.getLogger(GroupTls.class);

    /**
     * Timeout from the creation of the socket, including connect. A busy member may need seconds.
     */
    private static final int HANDSHAKE_MILLIS = 5_000;

    private static final String[] PROTOCOLS = {"TLSv1.3"};
    private static final Executor AFTER_TIMEOUT = CompletableFuture.delayedExecutor(
            HANDSHAKE_MILLIS, TimeUnit.MILLISECONDS, Thread::startVirtualThread);

    private final SSLContext context;
    /** Absent: the handshake alone decides about peers. */
    private final @Nullable PeerConnections peers;
    /** Sockets of dialled connections that were open at the last dial. */
    private final Set<SSLSocket> dialled = ConcurrentHashMap.newKeySet();

    private volatile boolean isClosed;

    GroupTls(SSLContext context) {
        this(context, null);
    }

    /**
     * Creates the sockets of a group whose members can lose their right to them.
     *
     * @param peers watches the connections; absent: no member can
     */
    GroupTls(SSLContext context, @Nullable PeerConnections peers) {
        this.context = context;
        this.peers = peers;
        enabled(true);
    }

    @Override
    public SocketFactory createSocketFactory() {
        DefaultSocketFactory created =
                new DefaultSocketFactory(context.getSocketFactory(), new ServerSockets());
        created.setSocketConfigurator(socket -> {
            SSLSocket member = (SSLSocket) socket;
            dialled.removeIf(SSLSocket::isClosed);
            dialled.add(member);
            if (isClosed) {
                close(member);
            }
            limitHandshake(member);
            member.addHandshakeCompletedListener(event -> {
                if (!admits(member)) {
                    close(member);
                }
            });
        });
        return created;
    }

    /** Returns whether a peer may keep its connection. It is closed when that changes. */
    private boolean admits(SSLSocket socket) {
        return peers == null
                || peers.admit(
                        socket.getSession(),
                        Lifetime.OF_CONNECTION,
                        () -> !socket.isClosed(),
                        // A close waits for a thread that is writing.
                        () -> Thread.startVirtualThread(() -> close(socket)));
    }

    /**
     * Closes the dialled connections, also those that are dialled later. JGroups does not close one
     * that a sender dials while the channel closes: its peer would send to it for as long as this
     * process runs, and never reach the next member at this address.
     */
    void close() {
        isClosed = true;
        dialled.forEach(GroupTls::close);
    }

    private static void close(SSLSocket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("Not closed: {}", e.getMessage());
        }
    }

    /** Closes a socket whose handshake does not complete in time. */
    private static void limitHandshake(SSLSocket socket) {
        AtomicBoolean isComplete = new AtomicBoolean();
        socket.addHandshakeCompletedListener(event -> isComplete.set(true));
        AFTER_TIMEOUT.execute(() -> {
            if (!isComplete.get() && !socket.isClosed()) {
                LOG.debug(
                        "No handshake within {} ms: {}",
                        HANDSHAKE_MILLIS,
                        socket.getRemoteSocketAddress());
                close(socket);
            }
        });
    }

    private final class ServerSockets extends ServerSocketFactory {

        @Override
        public ServerSocket createServerSocket() throws IOException {
            SSLServerSocket serverSocket =
                    (SSLServerSocket) context.getServerSocketFactory().createServerSocket();
            SSLParameters parameters = new SSLParameters();
            parameters.setProtocols(PROTOCOLS);
            parameters.setNeedClientAuth(true);
            serverSocket.setSSLParameters(parameters);
            return new HandshakeServerSocket(
                    serverSocket, GroupTls::limitHandshake, GroupTls.this::admits);
        }

        @Override
        public ServerSocket createServerSocket(int port) {
            throw new UnsupportedOperationException("Only unbound sockets are supported");
        }

        @Override
        public ServerSocket createServerSocket(int port, int backlog) {
            throw new UnsupportedOperationException("Only unbound sockets are supported");
        }

        @Override
        public ServerSocket createServerSocket(int port, int backlog, InetAddress address) {
            throw new UnsupportedOperationException("Only unbound sockets are supported");
        }
    }
}
