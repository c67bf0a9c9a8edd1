package dev.komainu.intermediary.control;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What every control endpoint begins with: its listener and its tokens. */
public final class ControlListener {

    private ControlListener() {}

    /** @throws BindException naming the setting and the address */
    public static HttpServer open(InetSocketAddress address) throws IOException {
        try {
            return HttpServer.create(address, 64);
        } catch (BindException e) {
            throw new BindException("control.listen: " + address.getHostString() + ":"
                    + address.getPort() + " (" + e.getMessage() + ")");
        }
    }

    /** Who may ask; absent: everybody who reaches the listener. */
    public static @Nullable TokenFile tokens(ControlSettings settings) throws IOException {
        return settings.tokenFile() == null
                ? null
                : new TokenFile(settings.tokenFile(), Instant::now);
    }

    /** @throws IOException when the token file could not be used */
    public static void check(ControlSettings settings) throws IOException {
        tokens(settings);
    }
}
