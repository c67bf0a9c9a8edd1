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
 * One visitor on one connection, as a browser holds it: asks, reads, pauses, asks again, lingers
 * until the server has enough of it. A visitor with one request and no lingering says
 * {@code Connection: close}, as in 2001.
 *
 * @param target whom to ask
 * @param patienceMillis for connecting and for each read
 * @param lingerMillis how long the connection is kept after the last answer; 0: not at all
 */
record VisitorSession(InetSocketAddress target, int patienceMillis, int lingerMillis) {

    private static final int LONGEST_HEAD = 16_384;

    /** What came of one request: status 100 to 599 and the body's bytes. */
    record Answer(int status, long bytes, boolean last) {}

    /**
     * Blocks until every answer is read.
     *
     * @param pausesMillis before each request after the first
     * @return the answers, as many as paths unless the server ended the connection between two
     * @throws IOException refused, broken off, or patience lost
     */
    List<Answer> ask(@Nullable InetAddress from, List<String> paths, List<Integer> pausesMillis)
            throws IOException, InterruptedException {
        List<Answer> answers = new ArrayList<>(paths.size());
        try (Socket socket = new Socket()) {
            if (from != null) {
                socket.bind(new InetSocketAddress(from, 0));
            }
            socket.setSoTimeout(patienceMillis);
            socket.setTcpNoDelay(true);
            socket.connect(target, patienceMillis);
            InputStream in = new BufferedInputStream(socket.getInputStream(), 16_384);
            OutputStream out = socket.getOutputStream();
            boolean once = paths.size() == 1 && lingerMillis == 0;
            for (int i = 0; i < paths.size(); i++) {
                if (i > 0) {
                    Thread.sleep(pausesMillis.get(i - 1));
                }
                out.write(head(paths.get(i), once));
                Answer answer = read(in);
                if (answer == null) {
                    if (i == 0) {
                        throw new IOException("connection closed before a status line");
                    }
                    break; // The server ended an idle connection: its right, RFC 9112 9.5.
                }
                answers.add(answer);
                if (answer.last()) {
                    return answers;
                }
            }
            if (lingerMillis > 0) {
                linger(socket, in);
            }
        }
        return answers;
    }

    private void linger(Socket socket, InputStream in) throws IOException {
        socket.setSoTimeout(lingerMillis);
        try {
            in.read();
        } catch (SocketTimeoutException e) {
            // The visitor goes first.
        }
    }

    private byte[] head(String path, boolean once) {
        return ("GET " + path + " HTTP/1.1\r\nHost: " + target.getHostString() + ":"
                        + target.getPort() + "\r\nUser-Agent: komainu-load\r\n"
                        + (once ? "Connection: close\r\n" : "") + "\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    private static @Nullable Answer read(InputStream in) throws IOException {
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
            read += field == null ? LONGEST_HEAD : field.length() + 2;
            if (field == null || read > LONGEST_HEAD) {
                throw new IOException("no end of the head within " + LONGEST_HEAD + " bytes");
            }
            String lower = field.toLowerCase(Locale.ROOT);
            if (lower.startsWith("content-length:")) {
                length = digits(lower.substring(15).trim());
            } else if (lower.startsWith("connection:") && lower.contains("close")) {
                last = true;
            }
        }
        if (length < 0) {
            return new Answer(status, in.transferTo(OutputStream.nullOutputStream()), true);
        }
        long left = length;
        byte[] piece = new byte[8_192];
        while (left > 0) {
            int n = in.read(piece, 0, (int) Math.min(piece.length, left));
            if (n < 0) {
                throw new IOException(
                        "connection closed " + left + " bytes before the end of the body");
            }
            left -= n;
        }
        return new Answer(status, length, last);
    }

    private static int digits(String text) throws IOException {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IOException("not a number: " + text, e);
        }
    }

    /** A line without its end; absent at the end of the connection. */
    private static @Nullable String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder(64);
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                return null;
            }
            if (line.length() >= LONGEST_HEAD) {
                throw new IOException("a line longer than " + LONGEST_HEAD + " bytes");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }
}
