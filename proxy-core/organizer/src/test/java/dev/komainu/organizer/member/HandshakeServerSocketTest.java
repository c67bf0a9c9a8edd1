package dev.komainu.organizer.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocket;
import org.jgroups.util.SocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Handshakes that wait only for their own two ends. */
class HandshakeServerSocketTest {

    @TempDir
    Path directory;

    private GroupTls tls;
    private SocketFactory sockets;
    private ServerSocket door;

    @BeforeEach
    void setUp() throws IOException {
        Path secret = Files.writeString(directory.resolve("secret"), Group.SECRET);
        tls = new GroupTls(Credentials.ofSecret(secret, "test").tls());
        sockets = tls.createSocketFactory();
        door = sockets.createServerSocket("test");
        door.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    @AfterEach
    void tearDown() throws IOException {
        door.close();
    }

    @Test
    void close_closesConnectionsDialledBeforeAndAfter() throws IOException {
        Socket before = sockets.createSocket("test");

        tls.close();

        assertThat(before.isClosed()).isTrue();
        assertThat(sockets.createSocket("test").isClosed()).isTrue();
    }

    @Test
    void strangersSayNothing_memberIsAcceptedAtOnce() throws Exception {
        List<Socket> strangers = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                strangers.add(new Socket(door.getInetAddress(), door.getLocalPort()));
            }
            CompletableFuture<Integer> received = CompletableFuture.supplyAsync(
                    () -> {
                        try (Socket accepted = door.accept()) {
                            return accepted.getInputStream().read();
                        } catch (IOException e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    Thread::startVirtualThread);
            try (SSLSocket member = (SSLSocket) sockets.createSocket("test")) {
                member.connect(door.getLocalSocketAddress());
                member.startHandshake();
                member.getOutputStream().write(7);
                assertThat(received.get(60, TimeUnit.SECONDS)).isEqualTo(7);
            }
        } finally {
            for (Socket stranger : strangers) {
                stranger.close();
            }
        }
    }

    @Test
    void withoutAccept_handshakeCompletes() throws Exception {
        // JGroups' acceptor waits meanwhile for a lock that only the end of this handshake
        // releases.
        try (SSLSocket member = (SSLSocket) sockets.createSocket("test")) {
            member.connect(door.getLocalSocketAddress());
            member.setSoTimeout(60_000);
            member.startHandshake();
            assertThat(member.getSession().getProtocol()).isEqualTo("TLSv1.3");
        }
    }

    @Test
    void peerNeverAnswers_handshakeEnds() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                SSLSocket member = (SSLSocket) sockets.createSocket("test")) {
            member.connect(silent.getLocalSocketAddress());
            assertThatThrownBy(member::startHandshake).isInstanceOf(IOException.class);
        }
    }

    @Test
    void closed_acceptEnds() throws Exception {
        Thread waits = Thread.currentThread();
        door.close();
        waits.interrupt();
        assertThatThrownBy(door::accept).isInstanceOf(SocketException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(door.isClosed()).isTrue();
    }
}
