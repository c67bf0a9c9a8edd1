package dev.komainu.central.api.guard;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A connection on which a test writes half requests. */
record RawRequest(Socket socket) implements AutoCloseable {

    /** A server that keeps silent this long has not refused the request. */
    private static final int MOST_MILLIS = 30_000;

    static RawRequest open(int port, String text) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(MOST_MILLIS);
        RawRequest request = new RawRequest(socket);
        request.write(text);
        return request;
    }

    /** Returns a head that announces a body. */
    static String head(String method, String path, String fields) {
        return method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Type: application/json\r\n" + fields + "\r\n\r\n";
    }

    void write(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Returns the status of the response; 0 when the connection was closed without one. */
    int status() throws IOException {
        String line = new BufferedReader(
                        new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
                .readLine();
        return line == null ? 0 : Integer.parseInt(line.split(" ")[1]);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
