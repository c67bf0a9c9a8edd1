package dev.komainu.load;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A visitor with one request: connects, sends it and reads the complete response within a timeout.
 */
final class SingleRequestVisit {

    private final InetSocketAddress target;
    private final int timeoutMillis;

    SingleRequestVisit(InetSocketAddress target, int timeoutMillis) {
        this.target = target;
        this.timeoutMillis = timeoutMillis;
    }

    /**
     * Sends a request and blocks until the response is complete.
     *
     * @return the status, 100 to 599
     * @throws IOException when refused, aborted or timed out
     */
    int request(String path) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(timeoutMillis);
            socket.connect(target, timeoutMillis);
            String head = "GET " + path + " HTTP/1.1\r\nHost: " + target.getHostString() + ":"
                    + target.getPort()
                    + "\r\nUser-Agent: komainu-demo\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            InputStream in = new BufferedInputStream(socket.getInputStream(), 16_384);
            byte[] statusLine = in.readNBytes(12); // "HTTP/1.1 200"
            if (statusLine.length < 12) {
                throw new IOException("connection closed before a status line");
            }
            int status = Integer.parseInt(new String(statusLine, 9, 3, StandardCharsets.US_ASCII));
            in.transferTo(java.io.OutputStream.nullOutputStream());
            return status;
        } catch (NumberFormatException e) {
            throw new IOException("no status line", e);
        }
    }
}
