package dev.komainu.load.browser;

import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The behaviour of all browsers of one load.
 *
 * @param target resolved address, so that no other host can be contacted later
 * @param authority value of Host or :authority
 * @param parallel limit of one browser's connections, 1 or more
 * @param timeout timeout from the instant of a request to its last byte
 * @param retryAfter time after which a request answered by 503 is retried, within its timeout; 0:
 *     never, 503 is the final response
 * @param linger time for which connections stay open after the last page, unless the server closes
 *     them; 0: none
 * @param tls null: no TLS
 */
public record ClientProfile(
        InetSocketAddress target,
        String authority,
        BrowserProtocol version,
        int parallel,
        Duration timeout,
        Duration retryAfter,
        Duration linger,
        @Nullable SslContext tls) {}
