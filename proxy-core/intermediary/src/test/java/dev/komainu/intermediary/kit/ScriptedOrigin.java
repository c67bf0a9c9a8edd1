package dev.komainu.intermediary.kit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An origin on a raw socket, so that it can also send invalid responses: each path has a script.
 */
public final class ScriptedOrigin implements AutoCloseable {

    /** A script that responds to one request; returning false closes the connection. */
    @FunctionalInterface
    public interface Script {
        boolean answer(Request request, Socket socket, OutputStream out)
                throws IOException, InterruptedException;
    }

    /**
     * A request as it arrived: head with its empty line, and the body as far as it was received.
     */
    public record Request(String head, String body, boolean bodyComplete) {
        public String field(String name) {
            for (String line : head.split("\r\n")) {
                if (line.regionMatches(true, 0, name + ":", 0, name.length() + 1)) {
                    return line.substring(name.length() + 1).strip();
                }
            }
            return "";
        }

        public String path() {
            return head.split(" ")[1];
        }
    }

    private final ServerSocket server;
    private final ConcurrentHashMap<String, Script> scripts = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, AtomicInteger> counts = new ConcurrentHashMap<>();
    public final List<Request> requests = new CopyOnWriteArrayList<>();
    /** Field lines behind chunked uploads. */
    public final List<String> trailers = new CopyOnWriteArrayList<>();

    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final Thread accepting;

    public ScriptedOrigin() throws IOException {
        this(new ServerSocket(0, 1024, InetAddress.getLoopbackAddress()));
    }

    /**
     * Creates an origin on a listening socket.
     *
     * @param server bound already; a TLS socket, for instance
     */
    public ScriptedOrigin(ServerSocket server) {
        this.server = server;
        accepting = Thread.ofVirtual().start(this::accept);
    }

    public int port() {
        return server.getLocalPort();
    }

    public String url() {
        return "http://127.0.0.1:" + port();
    }

    public ScriptedOrigin on(String path, Script script) {
        scripts.put(path, script);
        return this;
    }

    /** Sends these bytes and keeps the connection. */
    public ScriptedOrigin respond(String path, String answer) {
        return on(path, (request, socket, out) -> {
            out.write(answer.getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
            return true;
        });
    }

    /** Sends a 200 with these fields (each ended by CRLF) and this body. */
    public ScriptedOrigin ok(String path, String fields, String body) {
        return respond(
                path,
                "HTTP/1.1 200 OK\r\n" + fields + "Content-Length: " + body.length() + "\r\n\r\n"
                        + body);
    }

    public int count(String path) {
        AtomicInteger count = counts.get(path);
        return count == null ? 0 : count.get();
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
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            OutputStream out = socket.getOutputStream();
            while (true) {
                String head = head(in);
                if (head.isEmpty()) {
                    return;
                }
                String path = head.split(" ")[1];
                counts.computeIfAbsent(path, p -> new AtomicInteger()).incrementAndGet();
                Request request = body(head, in);
                requests.add(request);
                Script script = scripts.getOrDefault(path, ScriptedOrigin::notFound);
                if (!script.answer(request, socket, out)) {
                    return;
                }
            }
        } catch (IOException | InterruptedException gone) {
            // The proxy has closed; the relevant events were counted before.
        }
    }

    private static boolean notFound(Request request, Socket socket, OutputStream out)
            throws IOException {
        out.write("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nCache-Control: no-store\r\n\r\n"
                .getBytes());
        return true;
    }

    private static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int last4 = 0;
        for (int b = in.read(); b >= 0; b = in.read()) {
            head.write(b);
            last4 = last4 << 8 | b;
            if (last4 == 0x0d0a0d0a) {
                return head.toString(StandardCharsets.ISO_8859_1);
            }
        }
        return "";
    }

    private Request body(String head, InputStream in) throws IOException {
        Request bare = new Request(head, "", true);
        if (head.toLowerCase(Locale.ROOT).contains("transfer-encoding: chunked")) {
            StringBuilder body = new StringBuilder();
            while (true) {
                String line = line(in);
                if (line == null) {
                    return new Request(head, body.toString(), false);
                }
                int size = Integer.parseInt(line, 16);
                if (size == 0) {
                    String trailer = line(in);
                    while (trailer != null && !trailer.isEmpty()) {
                        trailers.add(trailer);
                        trailer = line(in);
                    }
                    return new Request(head, body.toString(), trailer != null);
                }
                byte[] chunk = in.readNBytes(size);
                body.append(new String(chunk, StandardCharsets.ISO_8859_1));
                if (chunk.length < size || line(in) == null) {
                    return new Request(head, body.toString(), false);
                }
            }
        }
        String length = bare.field("Content-Length");
        if (length.isEmpty()) {
            return bare;
        }
        byte[] body = in.readNBytes(Integer.parseInt(length));
        return new Request(
                head,
                new String(body, StandardCharsets.ISO_8859_1),
                body.length == Integer.parseInt(length));
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b >= 0; b = in.read()) {
            if (b == '\n') {
                return line.toString();
            }
            if (b != '\r') {
                line.append((char) b);
            }
        }
        return null;
    }

    /** Refuses connections from now on, and closes the existing ones. */
    @Override
    public void close() throws IOException {
        server.close();
        // The listener closes only when the thread in accept() has released it; until then it still
        // accepts.
        try {
            accepting.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
