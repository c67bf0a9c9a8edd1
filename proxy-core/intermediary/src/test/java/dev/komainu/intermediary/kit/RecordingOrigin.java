package dev.komainu.intermediary.kit;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An origin that reads with {@link StrictMessage} and records its requests as complete, broken off,
 * or invalid.
 */
public final class RecordingOrigin implements AutoCloseable {

    /** The response to every request. */
    private static final String ANSWER =
            "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: 2\r\n\r\n";

    public final List<StrictMessage> complete = new CopyOnWriteArrayList<>();
    public final List<String> violations = new CopyOnWriteArrayList<>();
    public final AtomicInteger brokenOff = new AtomicInteger();
    private final ServerSocket server;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    public RecordingOrigin() throws IOException {
        server = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    public String url() {
        return "http://127.0.0.1:" + server.getLocalPort();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                sockets.add(socket);
                Thread.ofVirtual().start(() -> serve(socket));
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        StringBuilder pending = new StringBuilder();
        try (socket) {
            InputStream in = socket.getInputStream();
            byte[] part = new byte[65_536];
            for (int count = in.read(part); count >= 0; count = in.read(part)) {
                pending.append(new String(part, 0, count, StandardCharsets.ISO_8859_1));
                StrictMessage message = StrictMessage.read(pending.toString());
                while (message != null) {
                    complete.add(message);
                    pending.delete(0, message.length());
                    String answer = ANSWER + (message.method().equals("HEAD") ? "" : "ok");
                    socket.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
                    message = StrictMessage.read(pending.toString());
                }
            }
        } catch (StrictMessage.Violation e) {
            violations.add(e.getMessage());
        } catch (IOException gone) {
            // The proxy has closed; the relevant events were counted before.
        }
        if (!pending.isEmpty()) {
            brokenOff.incrementAndGet();
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
