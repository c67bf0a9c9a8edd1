package dev.komainu.organizer.member;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.CompletableFuture;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The group's sockets: TLS 1.3, certificates of both sides, and handshakes that end, at both ends.
 * JGroups waits for them without a bound, with a lock held that its only acceptor needs.
 */
final class GroupTls extends TLS {

    private static final Logger LOG = LoggerFactory.getLogger(GroupTls.class);

    /** From the socket's making on, connecting included. Starved members may need seconds. */
    private static final int HANDSHAKE_MILLIS = 5_000;

    private static final String[] PROTOCOLS = {"TLSv1.3"};
    private static final Executor LATER = CompletableFuture.delayedExecutor(
            HANDSHAKE_MILLIS, TimeUnit.MILLISECONDS, Thread::startVirtualThread);

    private final SSLContext context;

    GroupTls(SSLContext context) {
        this.context = context;
        enabled(true);
    }

    @Override
    public SocketFactory createSocketFactory() {
        DefaultSocketFactory made =
                new DefaultSocketFactory(context.getSocketFactory(), new Doors());
        made.setSocketConfigurator(socket -> bound((SSLSocket) socket));
        return made;
    }

    /** Closes it when its handshake is not over in time. */
    private static void bound(SSLSocket socket) {
        AtomicBoolean done = new AtomicBoolean();
        socket.addHandshakeCompletedListener(event -> done.set(true));
        LATER.execute(() -> {
            if (!done.get() && !socket.isClosed()) {
                LOG.debug(
                        "No handshake within {} ms: {}",
                        HANDSHAKE_MILLIS,
                        socket.getRemoteSocketAddress());
                try {
                    socket.close();
                } catch (IOException e) {
                    LOG.debug("Not closed: {}", e.getMessage());
                }
            }
        });
    }

    private final class Doors extends ServerSocketFactory {

        @Override
        public ServerSocket createServerSocket() throws IOException {
            SSLServerSocket door =
                    (SSLServerSocket) context.getServerSocketFactory().createServerSocket();
            SSLParameters rules = new SSLParameters();
            rules.setProtocols(PROTOCOLS);
            rules.setNeedClientAuth(true);
            door.setSSLParameters(rules);
            return new HandshakeServerSocket(door, GroupTls::bound);
        }

        @Override
        public ServerSocket createServerSocket(int port) {
            throw new UnsupportedOperationException("It is bound later");
        }

        @Override
        public ServerSocket createServerSocket(int port, int backlog) {
            throw new UnsupportedOperationException("It is bound later");
        }

        @Override
        public ServerSocket createServerSocket(int port, int backlog, InetAddress address) {
            throw new UnsupportedOperationException("It is bound later");
        }
    }
}
