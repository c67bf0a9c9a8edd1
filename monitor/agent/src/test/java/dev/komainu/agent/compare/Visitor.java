package dev.komainu.agent.compare;

import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A client with the manners curl does not have: aborts, half-closes, pipelines, reads slowly,
 * reuses its port.
 */
public final class Visitor {

    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String LAST =
            "GET /text.txt HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    private static final String BIG = "GET /big HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

    private final int port;

    private Visitor(int port) {
        this.port = port;
    }

    public static void main(String[] args) throws Exception {
        Visitor visitor = new Visitor(Integer.parseInt(args[1]));
        for (String address : new String[] {args[0], args[2]}) {
            InetAddress server = InetAddress.getByName(address);
            visitor.pipelines(server);
            visitor.halfCloses(server);
            visitor.aborts(server);
            visitor.readsSlowly(server);
            visitor.reusesItsPort(server);
            visitor.sendsInPieces(server);
            visitor.saysNothing(server);
        }
    }

    private Socket connect(InetAddress server) throws IOException {
        Socket socket = new Socket(server, port);
        socket.setTcpNoDelay(true);
        return socket;
    }

    private static void say(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private void pipelines(InetAddress server) throws IOException {
        try (Socket socket = connect(server)) {
            say(socket, GET.repeat(6) + "HEAD /big HTTP/1.1\r\nHost: a\r\n\r\n" + LAST);
            socket.getInputStream().readAllBytes();
        }
        try (Socket socket = connect(server)) {
            for (int i = 0; i < 5; i++) {
                say(socket, GET);
            }
            say(socket, LAST);
            socket.getInputStream().readAllBytes();
        }
    }

    private void halfCloses(InetAddress server) throws IOException {
        try (Socket socket = connect(server)) {
            say(socket, BIG);
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
        }
    }

    private void aborts(InetAddress server) throws IOException {
        for (int bytes : new int[] {0, 1, 5_000, 60_000}) {
            Socket socket = connect(server);
            say(socket, BIG);
            socket.getInputStream().readNBytes(bytes);
            socket.setSoLinger(true, 0);
            socket.close();
        }
        // Unread data at the close: the kernel resets, too.
        try (Socket socket = connect(server)) {
            say(socket, BIG);
            socket.getInputStream().readNBytes(1);
        }
    }

    private void readsSlowly(InetAddress server) throws IOException, InterruptedException {
        try (Socket socket = new Socket()) {
            socket.setReceiveBufferSize(4_096);
            socket.connect(new InetSocketAddress(server, port));
            say(socket, BIG);
            InputStream in = socket.getInputStream();
            for (int i = 0; i < 3; i++) {
                // The window closes, and is probed.
                Thread.sleep(450);
                in.readNBytes(30_000);
            }
            in.readAllBytes();
        }
    }

    private void reusesItsPort(InetAddress server) throws IOException, InterruptedException {
        int own = 0;
        for (int i = 0; i < 6; i++) {
            Socket socket = connectFrom(own, server);
            own = socket.getLocalPort();
            say(socket, i % 2 == 0 ? LAST : GET);
            if (i % 2 == 0) {
                // The server closes first, so that only its side waits.
                socket.getInputStream().readAllBytes();
            } else {
                socket.getInputStream().readNBytes(20);
                socket.setSoLinger(true, 0);
            }
            socket.close();
        }
    }

    /**
     * As long as the last FIN's acknowledgement is lost, the kernel does not give the same pair of
     * ends away again.
     */
    private Socket connectFrom(int own, InetAddress server)
            throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            Socket socket = new Socket();
            try {
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress(own));
                socket.connect(new InetSocketAddress(server, port));
                return socket;
            } catch (BindException e) {
                socket.close();
                if (attempt == 200) {
                    throw e;
                }
                Thread.sleep(50);
            }
        }
    }

    private void sendsInPieces(InetAddress server) throws IOException, InterruptedException {
        try (Socket socket = connect(server)) {
            for (String part : LAST.split("(?<=[ /])")) {
                say(socket, part);
                Thread.sleep(2);
            }
            socket.getInputStream().readAllBytes();
        }
        try (Socket socket = connect(server)) {
            say(socket, "POST /post HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
            // 413 comes before the body is there.
            socket.getInputStream().readNBytes(12);
            say(socket, "x".repeat(1_000));
        } catch (IOException e) {
            // the server may have closed by then
        }
    }

    private void saysNothing(InetAddress server) throws IOException {
        connect(server).close();
    }
}
