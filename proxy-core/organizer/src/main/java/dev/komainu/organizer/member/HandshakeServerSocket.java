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
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server socket that gives out connections whose handshake is over, each of which is shaken in a
 * thread of its own.
 *
 * <p>JGroups accepts in one thread, and there waits for a lock that whoever connects to the same
 * member holds until the other's acceptor has shaken hands. Two members that connect to each other
 * at once, each with its acceptor in the handshake, would wait for each other for ever; three in a
 * circle, too. With handshakes aside no acceptor waits for another. Nor does a stranger who says
 * nothing hold up members.
 */
final class HandshakeServerSocket extends ServerSocket {

    private static final Logger LOG = LoggerFactory.getLogger(HandshakeServerSocket.class);

    /** Handshakes at a time; who comes then waits in the kernel's queue. */
    private static final int MOST_AT_ONCE = 256;

    private static final int BACKLOG = 256;

    private final SSLServerSocket door;
    private final Consumer<SSLSocket> bound;
    private final Semaphore room = new Semaphore(MOST_AT_ONCE);
    private final LinkedBlockingQueue<Socket> shaken = new LinkedBlockingQueue<>();

    /**
     * Not bound yet.
     *
     * @param bound sees to it that a handshake ends, one way or the other
     */
    HandshakeServerSocket(SSLServerSocket door, Consumer<SSLSocket> bound) throws IOException {
        this.door = door;
        this.bound = bound;
    }

    @Override
    public void bind(SocketAddress address, int ignored) throws IOException {
        door.bind(address, BACKLOG);
        Thread.ofVirtual().name("komainu-handshakes").start(this::take);
    }

    @Override
    public void bind(SocketAddress address) throws IOException {
        bind(address, BACKLOG);
    }

    private void take() {
        while (!door.isClosed()) {
            try {
                room.acquire();
                SSLSocket next = (SSLSocket) door.accept();
                Thread.ofVirtual().start(() -> shake(next));
            } catch (IOException e) {
                room.release();
                LOG.debug("Not accepted: {}", e.getMessage());
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void shake(SSLSocket with) {
        try {
            bound.accept(with);
            with.startHandshake();
            shaken.add(with);
        } catch (IOException e) {
            LOG.debug("No handshake with {}: {}", with.getRemoteSocketAddress(), e.getMessage());
            try {
                with.close();
            } catch (IOException closed) {
                LOG.debug("Not closed: {}", closed.getMessage());
            }
        } finally {
            room.release();
        }
    }

    @Override
    public Socket accept() throws IOException {
        try {
            return shaken.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SocketException("Interrupted");
        }
    }

    @Override
    public void close() throws IOException {
        door.close();
        for (Socket unused = shaken.poll(); unused != null; unused = shaken.poll()) {
            unused.close();
        }
    }

    @Override
    public boolean isClosed() {
        return door.isClosed();
    }

    @Override
    public boolean isBound() {
        return door.isBound();
    }

    @Override
    public int getLocalPort() {
        return door.getLocalPort();
    }

    @Override
    public InetAddress getInetAddress() {
        return door.getInetAddress();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return door.getLocalSocketAddress();
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        door.setReuseAddress(on);
    }

    @Override
    public void setReceiveBufferSize(int bytes) throws SocketException {
        door.setReceiveBufferSize(bytes);
    }
}
