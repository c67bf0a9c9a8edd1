package dev.komainu.proxy.practice;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Simulated origin on loopback; a thread for each connection.
 *
 * <p>The first part of a path says what it does with a request: {@code /kept/LENGTH} may be stored,
 * {@code /passed/LENGTH} must not, {@code /ended/LENGTH} must not and ends the connection,
 * {@code /absent/LENGTH} is 404, {@code /failed/LENGTH} is 500, {@code /cut/LENGTH} ends the
 * connection without a response, and {@code /chunked/LENGTH} has no Content-Length.
 */
public final class PracticeOrigin implements Closeable {

    private static final Pattern LENGTH = Pattern.compile("content-length: ([0-9]{1,9})\r\n");

    private static final Pattern CHUNKED = Pattern.compile("(?im)^transfer-encoding: chunked$");

    private final ServerSocket socket;

    /**
     * Listens.
     *
     * @throws IOException when loopback cannot be used
     */
    public PracticeOrigin() throws IOException {
        socket = new ServerSocket(0, 512, InetAddress.getLoopbackAddress());
        Thread.ofPlatform().daemon().name("komainu-practice-origin").start(this::accept);
    }

    /** Returns its URL, for the setting {@code origin}. */
    public String url() {
        return "http://127.0.0.1:" + socket.getLocalPort();
    }

    private void accept() {
        while (!socket.isClosed()) {
            try {
                Socket connection = socket.accept();
                Thread.ofPlatform().daemon().start(() -> serve(connection));
            } catch (IOException e) {
                return;
            }
        }
    }

    private static void serve(Socket connection) {
        try (connection) {
            connection.setTcpNoDelay(true);
            InputStream in = new BufferedInputStream(connection.getInputStream());
            OutputStream out = connection.getOutputStream();
            StringBuilder head = new StringBuilder();
            for (int c = in.read(); c >= 0; c = in.read()) {
                head.append((char) c);
                if (c == '\n'
                        && head.length() > 3
                        && head.indexOf("\r\n\r\n", head.length() - 4) >= 0) {
                    Matcher body = LENGTH.matcher(head.toString().toLowerCase(Locale.ROOT));
                    if (body.find()) {
                        in.skipNBytes(Long.parseLong(body.group(1)));
                    } else if (CHUNKED.matcher(head).find()) {
                        skipChunks(in);
                    }
                    int start = head.indexOf(" ") + 1;
                    String[] path =
                            head.substring(start, head.indexOf(" ", start)).split("[/?]");
                    head.setLength(0);
                    if (!respond(path[1], Integer.parseInt(path[2]), out)) {
                        return;
                    }
                }
            }
        } catch (IOException e) {
            // The proxy closed it and opens another one when it needs one.
            return;
        }
    }

    /** Skips a chunked body without trailers, which is what the proxy makes of an HTTP/2 body. */
    private static void skipChunks(InputStream in) throws IOException {
        while (true) {
            int size = 0;
            int c = in.read();
            for (; c >= 0 && c != '\r'; c = in.read()) {
                size = size * 16 + Character.digit(c, 16);
            }
            if (c < 0) {
                throw new EOFException();
            }
            // The rest of the line, the bytes, and the end of their line.
            in.skipNBytes(1L + size + 2);
            if (size == 0) {
                return;
            }
        }
    }

    /** Writes a response in one piece; returns whether the connection stays open. */
    private static boolean respond(String kind, int length, OutputStream out) throws IOException {
        if (kind.equals("cut")) {
            return false;
        }
        boolean chunked = kind.equals("chunked");
        boolean ended = kind.equals("ended");
        boolean stored = kind.equals("kept") || chunked;
        String status = switch (kind) {
            case "absent" -> "404 Not Found";
            case "failed" -> "500 Internal Server Error";
            default -> "200 OK";
        };
        byte[] head = ("HTTP/1.1 " + status
                        + "\r\nServer: practice\r\nDate: Sun, 22 Nov 2026 10:00:00 GMT\r\n"
                        + "Content-Type: text/html; charset=utf-8\r\nETag: \"practice\"\r\n"
                        + "Last-Modified: Sat, 21 Nov 2026 10:00:00 GMT\r\nConnection: "
                        + (ended ? "close" : "keep-alive") + "\r\nCache-Control: "
                        + (stored ? "max-age=3600" : "no-store") + "\r\n"
                        + (chunked
                                ? "Transfer-Encoding: chunked\r\n\r\n" + Integer.toHexString(length)
                                        + "\r\n"
                                : "Content-Length: " + length + "\r\n\r\n"))
                .getBytes(StandardCharsets.ISO_8859_1);
        byte[] end = (chunked ? "\r\n0\r\n\r\n" : "").getBytes(StandardCharsets.ISO_8859_1);
        byte[] response = new byte[head.length + length + end.length];
        System.arraycopy(head, 0, response, 0, head.length);
        System.arraycopy(end, 0, response, head.length + length, end.length);
        out.write(response);
        return !ended;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
