package dev.komainu.intermediary.control;

import java.time.Duration;

/**
 * The limits of a control endpoint. Together they keep what its clients can hold below 20 MB.
 *
 * <table><caption>Limits</caption>
 * <tr><th>limit</th><th>default</th><th>consequence</th></tr>
 * <tr><td>{@code head}</td><td>10 s</td><td>closed: the first head of a connection is late</td></tr>
 * <tr><td>{@code idle}</td><td>75 s</td><td>closed: the next head of a connection is late</td></tr>
 * <tr><td>{@code body}</td><td>10 s</td><td>408: the body is late</td></tr>
 * <tr><td>{@code response}</td><td>30 s</td><td>closed: the client does not read the response</td></tr>
 * <tr><td>{@code headBytes}</td><td>16 KB</td><td>414 for a longer request line, 431 for longer fields</td></tr>
 * <tr><td>{@code bodyBytes}</td><td>64 KB</td><td>413</td></tr>
 * <tr><td>{@code connections}</td><td>256</td><td>the connection that has waited longest for its client is closed</td></tr>
 * <tr><td>{@code perAddress}</td><td>8</td><td>503: as many requests of this address are being served</td></tr>
 * <tr><td>{@code inAll}</td><td>32</td><td>503: as many requests are being served</td></tr>
 * </table>
 *
 * @param head from the accept of a connection to the end of its first head
 * @param idle from a response to the end of the next head; longer than the 30 s for which the
 *     clients of the JDK and of Go keep a connection, so that the client closes first
 * @param body from the head to the end of the body
 * @param response from the response's first byte to its last
 */
record ControlLimits(
        Duration head,
        Duration idle,
        Duration body,
        Duration response,
        int headBytes,
        int bodyBytes,
        int connections,
        int perAddress,
        int inAll) {

    static final ControlLimits DEFAULT = new ControlLimits(
            Duration.ofSeconds(10),
            Duration.ofSeconds(75),
            Duration.ofSeconds(10),
            Duration.ofSeconds(30),
            16 * 1024,
            64 * 1024,
            256,
            8,
            32);
}
