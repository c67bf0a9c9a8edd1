package dev.komainu.central.limit;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.apache.tomcat.util.net.NioEndpoint;
import org.jspecify.annotations.Nullable;

/** Tomcat's endpoint that also tells {@link LimitedConnections} of each connection. */
final class LimitedEndpoint extends NioEndpoint {

    /** Longest pause of accepting until cut connections are closed. */
    private static final Duration MOST_WAIT = Duration.ofMillis(500);

    private volatile @Nullable LimitedConnections clients;

    void use(LimitedConnections all) {
        clients = all;
    }

    @Nullable
    LimitedConnections clients() {
        return clients;
    }

    @Override
    protected boolean setSocketOptions(SocketChannel socket) {
        LimitedConnections all = clients;
        if (all != null) {
            try {
                all.awaitClosing(MOST_WAIT);
                if (socket.getRemoteAddress() instanceof InetSocketAddress peer) {
                    all.opened(socket, peer.getAddress(), outputToo -> cut(socket, outputToo));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            } catch (ClosedChannelException e) {
                return false;
            } catch (IOException e) {
                getLog().debug("No address of a connection", e);
                return false;
            }
        }
        return super.setSocketOptions(socket);
    }

    @Override
    protected void destroySocket(SocketChannel socket) {
        LimitedConnections all = clients;
        if (all != null) {
            all.closed(socket);
        }
        super.destroySocket(socket);
    }

    private void cut(SocketChannel socket, boolean outputToo) {
        try {
            socket.shutdownInput();
            if (outputToo) {
                socket.shutdownOutput();
            }
        } catch (IOException e) {
            getLog().trace("Already closed", e);
        }
    }
}
