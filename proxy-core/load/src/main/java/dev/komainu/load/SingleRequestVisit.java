package dev.komainu.load;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** One visitor: connects, asks once, reads the whole answer or loses patience. */
final class SingleRequestVisit {

    private final InetSocketAddress target;
    private final int patienceMillis;

    SingleRequestVisit(InetSocketAddress target, int patienceMillis) {
        this.target = target;
        this.patienceMillis = patienceMillis;
    }

    /**
     * Blocks until the answer is read to its end.
     *
     * @return the status, 100 to 599
     * @throws IOException refused, broken off, or patience lost
     */
    int ask(String path) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(patienceMillis);
            socket.connect(target, patienceMillis);
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
