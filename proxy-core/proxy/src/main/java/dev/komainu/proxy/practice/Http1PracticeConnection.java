package dev.komainu.proxy.practice;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Simulated client in HTTP/1.1, over TCP or TLS. */
public final class Http1PracticeConnection implements PracticeConnection {

    private static final String LENGTH = "\r\ncontent-length: ";
    private static final byte[] BODY = new byte[2000];

    private final Socket socket;
    private final byte[] scratch = new byte[64 * 1024];

    /** Takes over a connected socket, and closes it later. */
    public Http1PracticeConnection(Socket socket) {
        this.socket = socket;
    }

    @Override
    public void send(String method, String target, String fields) throws IOException {
        boolean body = method.equals("POST");
        byte[] head = (method + " " + target + " HTTP/1.1\r\n" + fields
                        + (body ? "Content-Length: " + BODY.length + "\r\n" : "") + "\r\n")
                .getBytes(StandardCharsets.ISO_8859_1);
        socket.getOutputStream().write(head);
        if (body) {
            socket.getOutputStream().write(BODY);
        }
    }

    @Override
    public void receive() throws IOException {
        InputStream in = socket.getInputStream();
        int received = 0;
        int end = -1;
        while (end < 0) {
            received += read(in, received);
            end = new String(scratch, 0, Math.min(received, 4096), StandardCharsets.ISO_8859_1)
                    .indexOf("\r\n\r\n");
        }
        String fields =
                new String(scratch, 0, end, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
        int field = fields.indexOf(LENGTH);
        long left = field < 0
                ? 0
                : Long.parseLong(fields.substring(field + LENGTH.length()).split("\r\n", 2)[0]);
        left -= received - end - 4;
        while (left > 0) {
            left -= read(in, 0);
        }
    }

    private int read(InputStream in, int offset) throws IOException {
        int count = in.read(scratch, offset, scratch.length - offset);
        if (count < 0) {
            throw new IOException("The proxy closed the connection");
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
