package dev.komainu.load.browser;

import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How all browsers of one load behave.
 *
 * @param target whom they ask: resolved, so that nobody else can be asked later
 * @param authority what Host or :authority says
 * @param parallel connections one browser may hold, 1 or more
 * @param patience from a wish to its last byte
 * @param insists after which time a wish answered with 503 is asked again, within its patience; 0:
 *     never, 503 is the answer
 * @param linger how long connections are kept after the last page, unless the server ends them; 0:
 *     not at all
 * @param tls absent: in clear
 */
public record ClientProfile(
        InetSocketAddress target,
        String authority,
        BrowserProtocol version,
        int parallel,
        Duration patience,
        Duration insists,
        Duration linger,
        @Nullable SslContext tls) {}
