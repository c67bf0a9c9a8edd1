package dev.komainu.proxy.practice;

import java.io.Closeable;
import java.io.IOException;

/**
 * Connection of a simulated client. It blocks; one thread. Each request that was sent has one
 * response.
 */
public interface PracticeConnection extends Closeable {

    /**
     * Sends a request without waiting for its response.
     *
     * @param method GET, or POST for a request with a body of 2,000 bytes
     * @param fields further header fields, each ended by CRLF
     * @throws IOException when the proxy closed the connection
     */
    void send(String method, String target, String fields) throws IOException;

    /**
     * Reads one response to its end.
     *
     * @throws IOException when it does not arrive within ten seconds, or is cut off
     */
    void receive() throws IOException;
}
