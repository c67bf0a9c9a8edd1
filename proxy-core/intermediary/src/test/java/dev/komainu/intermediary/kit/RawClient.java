package dev.komainu.intermediary.kit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A client that sends exactly the given bytes, and reads responses by their framing. */
public final class RawClient implements AutoCloseable {

    private static final int TIMEOUT_MILLIS = 60_000;

    /** Field lines behind the last chunked body. */
    public final List<String> trailers = new ArrayList<>();

    private final Socket socket;
    private final InputStream in;

    public RawClient(InetSocketAddress proxy) throws IOException {
        this(new Socket(proxy.getAddress(), proxy.getPort()));
    }

    /**
     * Creates a client on a connection.
     *
     * @param connected open already; a TLS socket, for instance
     */
    public RawClient(Socket connected) throws IOException {
        socket = connected;
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
    }

    /** A response: head with its empty line, body without its framing. */
    public record Answer(int status, String head, String body) {
        public String field(String name) {
            for (String line : head.split("\r\n")) {
                if (line.regionMatches(true, 0, name + ":", 0, name.length() + 1)) {
                    return line.substring(name.length() + 1).strip();
                }
            }
            return "";
        }
    }

    public RawClient send(String bytes) throws IOException {
        socket.getOutputStream().write(bytes.getBytes(StandardCharsets.ISO_8859_1));
        socket.getOutputStream().flush();
        return this;
    }

    public Answer get(String path, String... fields) throws IOException {
        return request("GET", path, fields);
    }

    public Answer request(String method, String path, String... fields) throws IOException {
        StringBuilder text =
                new StringBuilder(method + " " + path + " HTTP/1.1\r\nHost: test.example\r\n");
        for (String field : fields) {
            text.append(field).append("\r\n");
        }
        send(text + "\r\n");
        return read(method.equals("HEAD"));
    }

    public Answer read(boolean headOnly) throws IOException {
        String head = head();
        int status = Integer.parseInt(head.split(" ")[1]);
        Answer answer = new Answer(status, head, "");
        if (headOnly || status == 304 || status == 204 || status < 200) {
            return answer;
        }
        if (answer.field("Transfer-Encoding").equals("chunked")) {
            return new Answer(status, head, chunked());
        }
        String length = answer.field("Content-Length");
        byte[] body = length.isEmpty() ? in.readAllBytes() : exactly(Integer.parseInt(length));
        return new Answer(status, head, new String(body, StandardCharsets.ISO_8859_1));
    }

    private byte[] exactly(int count) throws IOException {
        byte[] body = in.readNBytes(count);
        if (body.length < count) {
            throw new EOFException("body: " + body.length + " of " + count);
        }
        return body;
    }

    private String head() throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int last4 = 0;
        for (int b = in.read(); b >= 0; b = in.read()) {
            head.write(b);
            last4 = last4 << 8 | b;
            if (last4 == 0x0d0a0d0a) {
                return head.toString(StandardCharsets.ISO_8859_1);
            }
        }
        throw new EOFException("head: " + head);
    }

    private String chunked() throws IOException {
        StringBuilder body = new StringBuilder();
        while (true) {
            int size = Integer.parseInt(line(), 16);
            if (size == 0) {
                trailers.clear();
                for (String line = line(); !line.isEmpty(); line = line()) {
                    trailers.add(line);
                }
                return body.toString();
            }
            body.append(new String(exactly(size), StandardCharsets.ISO_8859_1));
            line();
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("chunk");
            }
            if (b != '\r') {
                line.append((char) b);
            }
        }
        return line.toString();
    }

    /** Reads until the proxy closes. */
    public String rest() throws IOException {
        return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
    }

    public boolean closedByPeer() throws IOException {
        try {
            return in.read() < 0;
        } catch (java.net.SocketException reset) {
            return true;
        }
    }

    public Socket socket() {
        return socket;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
