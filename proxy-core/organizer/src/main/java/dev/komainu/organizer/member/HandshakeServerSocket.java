package dev.komainu.organizer.member;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server socket whose accepted connections have completed their handshake, each in a thread of
 * its own.
 *
 * <p>JGroups accepts in one thread. There it waits for a lock that a thread which connects to the
 * same member holds until the other member's acceptor has completed the handshake. Two members that
 * connect to each other at the same time, each with its acceptor in the handshake, would wait for
 * each other for ever; three in a circle, too. With handshakes in other threads no acceptor waits
 * for another. A silent stranger does not delay members either.
 */
final class HandshakeServerSocket extends ServerSocket {

    private static final Logger LOG = LoggerFactory.getLogger(HandshakeServerSocket.class);

    /** Maximum of concurrent handshakes; further connections wait in the kernel's queue. */
    private static final int MOST_AT_ONCE = 256;

    private static final int BACKLOG = 256;

    private final SSLServerSocket serverSocket;
    private final Consumer<SSLSocket> limitHandshake;
    private final Predicate<SSLSocket> admits;
    private final Semaphore permits = new Semaphore(MOST_AT_ONCE);
    private final LinkedBlockingQueue<Socket> completed = new LinkedBlockingQueue<>();

    /**
     * Creates a socket that is not bound yet.
     *
     * @param limitHandshake makes sure that a handshake ends, with success or failure
     * @param admits returns whether the peer of a completed handshake is a member
     */
    HandshakeServerSocket(
            SSLServerSocket serverSocket,
            Consumer<SSLSocket> limitHandshake,
            Predicate<SSLSocket> admits)
            throws IOException {
        this.serverSocket = serverSocket;
        this.limitHandshake = limitHandshake;
        this.admits = admits;
    }

    @Override
    public void bind(SocketAddress address, int ignored) throws IOException {
        serverSocket.bind(address, BACKLOG);
        Thread.ofVirtual().name("komainu-handshakes").start(this::acceptAll);
    }

    @Override
    public void bind(SocketAddress address) throws IOException {
        bind(address, BACKLOG);
    }

    private void acceptAll() {
        while (!serverSocket.isClosed()) {
            try {
                permits.acquire();
                SSLSocket next = (SSLSocket) serverSocket.accept();
                Thread.ofVirtual().start(() -> handshake(next));
            } catch (IOException e) {
                permits.release();
                LOG.debug("Not accepted: {}", e.getMessage());
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void handshake(SSLSocket socket) {
        try {
            limitHandshake.accept(socket);
            socket.startHandshake();
            if (!admits.test(socket)) {
                throw new IOException("the peer is no member any more");
            }
            completed.add(socket);
            if (serverSocket.isClosed()) {
                close();
            }
        } catch (IOException e) {
            LOG.debug("No handshake with {}: {}", socket.getRemoteSocketAddress(), e.getMessage());
            try {
                socket.close();
            } catch (IOException closed) {
                LOG.debug("Not closed: {}", closed.getMessage());
            }
        } finally {
            permits.release();
        }
    }

    @Override
    public Socket accept() throws IOException {
        try {
            return completed.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SocketException("Interrupted");
        }
    }

    @Override
    public void close() throws IOException {
        serverSocket.close();
        for (Socket unused = completed.poll(); unused != null; unused = completed.poll()) {
            unused.close();
        }
    }

    @Override
    public boolean isClosed() {
        return serverSocket.isClosed();
    }

    @Override
    public boolean isBound() {
        return serverSocket.isBound();
    }

    @Override
    public int getLocalPort() {
        return serverSocket.getLocalPort();
    }

    @Override
    public InetAddress getInetAddress() {
        return serverSocket.getInetAddress();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return serverSocket.getLocalSocketAddress();
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        serverSocket.setReuseAddress(on);
    }

    @Override
    public void setReceiveBufferSize(int bytes) throws SocketException {
        serverSocket.setReceiveBufferSize(bytes);
    }
}
