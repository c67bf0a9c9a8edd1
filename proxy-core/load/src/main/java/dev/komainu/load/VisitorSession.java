package dev.komainu.load;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One visitor with one connection, used as by a browser: request, response, pause, next request;
 * afterwards the connection stays open until the server closes it. A visitor with one request and
 * no linger time sends {@code Connection: close}, as in 2001.
 *
 * @param target address of the server
 * @param timeoutMillis timeout of the connection attempt and of each read
 * @param lingerMillis time for which the connection stays open after the last response; 0: none
 */
record VisitorSession(InetSocketAddress target, int timeoutMillis, int lingerMillis) {

    private static final int MAX_HEAD_BYTES = 16_384;

    /** The response to one request: status 100 to 599 and the body's bytes. */
    record Response(int status, long bytes, boolean last) {}

    /**
     * Sends the requests and blocks until every response is read.
     *
     * @param pausesMillis pause before each request after the first
     * @return the responses, as many as paths unless the server closed the connection between two
     * @throws IOException when refused, aborted or timed out
     */
    List<Response> request(
            @Nullable InetAddress from, List<String> paths, List<Integer> pausesMillis)
            throws IOException, InterruptedException {
        List<Response> responses = new ArrayList<>(paths.size());
        try (Socket socket = new Socket()) {
            if (from != null) {
                socket.bind(new InetSocketAddress(from, 0));
            }
            socket.setSoTimeout(timeoutMillis);
            socket.setTcpNoDelay(true);
            socket.connect(target, timeoutMillis);
            InputStream in = new BufferedInputStream(socket.getInputStream(), 16_384);
            OutputStream out = socket.getOutputStream();
            boolean once = paths.size() == 1 && lingerMillis == 0;
            for (int i = 0; i < paths.size(); i++) {
                if (i > 0) {
                    Thread.sleep(pausesMillis.get(i - 1));
                }
                out.write(head(paths.get(i), once));
                Response response = read(in);
                if (response == null) {
                    if (i == 0) {
                        throw new IOException("connection closed before a status line");
                    }
                    break; // The server closed an idle connection, which RFC 9112 section 9.5
                    // permits.
                }
                responses.add(response);
                if (response.last()) {
                    return responses;
                }
            }
            if (lingerMillis > 0) {
                linger(socket, in);
            }
        }
        return responses;
    }

    private void linger(Socket socket, InputStream in) throws IOException {
        socket.setSoTimeout(lingerMillis);
        try {
            in.read();
        } catch (SocketTimeoutException e) {
            // The visitor closes the connection first.
        }
    }

    private byte[] head(String path, boolean once) {
        return ("GET " + path + " HTTP/1.1\r\nHost: " + target.getHostString() + ":"
                        + target.getPort() + "\r\nUser-Agent: komainu-load\r\n"
                        + (once ? "Connection: close\r\n" : "") + "\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static @Nullable Response read(InputStream in) throws IOException {
        String line = line(in);
        if (line == null) {
            return null;
        }
        if (!line.startsWith("HTTP/1.") || line.length() < 12) {
            throw new IOException("no status line");
        }
        int status = digits(line.substring(9, 12));
        long length = -1;
        boolean last = false;
        int read = line.length();
        for (String field = line(in); field == null || !field.isEmpty(); field = line(in)) {
            read += field == null ? MAX_HEAD_BYTES : field.length() + 2;
            if (field == null || read > MAX_HEAD_BYTES) {
                throw new IOException("no end of the head within " + MAX_HEAD_BYTES + " bytes");
            }
            String lower = field.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = digits(lower.substring(15).trim());
            } else if (lower.startsWith("connection:") && lower.contains("close")) {
                last = true;
            }
        }
        if (length < 0) {
            return new Response(status, in.transferTo(OutputStream.nullOutputStream()), true);
        }
        long remaining = length;
        byte[] piece = new byte[8_192];
        while (remaining > 0) {
            int n = in.read(piece, 0, (int) Math.min(piece.length, remaining));
            if (n < 0) {
                throw new IOException(
                        "connection closed " + remaining + " bytes before the end of the body");
            }
            remaining -= n;
        }
        return new Response(status, length, last);
    }

    private static int digits(String text) throws IOException {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IOException("not a number: " + text, e);
        }
    }

    /** Returns a line without its end; null at the end of the connection. */
    private static @Nullable String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder(64);
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                return null;
            }
            if (line.length() >= MAX_HEAD_BYTES) {
                throw new IOException("a line longer than " + MAX_HEAD_BYTES + " bytes");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }
}
