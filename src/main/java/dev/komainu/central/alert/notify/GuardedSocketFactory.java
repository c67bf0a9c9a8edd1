package dev.komainu.central.alert.notify;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import javax.net.SocketFactory;

/**
 * A factory of sockets that ask a {@link ReceiverGuard} before they connect, for a library that
 * resolves names itself.
 */
final class GuardedSocketFactory extends SocketFactory {

    private final ReceiverGuard guard;
    private final String host;

    /**
     * Creates a factory.
     *
     * @param host host name as configured
     */
    GuardedSocketFactory(ReceiverGuard guard, String host) {
        this.guard = guard;
        this.host = host;
    }

    @Override
    public Socket createSocket() {
        return new Socket() {
            @Override
            public void connect(SocketAddress target) throws IOException {
                connect(target, 0);
            }

            @Override
            public void connect(SocketAddress target, int timeout) throws IOException {
                guard.check(host, (InetSocketAddress) target);
                super.connect(target, timeout);
            }
        };
    }

    @Override
    public Socket createSocket(String name, int port) throws IOException {
        return connected(new InetSocketAddress(name, port));
    }

    @Override
    public Socket createSocket(String name, int port, InetAddress local, int localPort)
            throws IOException {
        return connected(new InetSocketAddress(name, port));
    }

    @Override
    public Socket createSocket(InetAddress address, int port) throws IOException {
        return connected(new InetSocketAddress(address, port));
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress local, int localPort)
            throws IOException {
        return connected(new InetSocketAddress(address, port));
    }

    private Socket connected(InetSocketAddress target) throws IOException {
        Socket socket = createSocket();
        try {
            socket.connect(target);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }
}
