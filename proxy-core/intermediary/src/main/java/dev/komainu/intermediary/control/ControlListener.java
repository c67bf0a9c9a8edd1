package dev.komainu.intermediary.control;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The listener and the tokens of a control endpoint. */
public final class ControlListener {

    private ControlListener() {}

    /**
     * Opens the listener.
     *
     * @throws BindException with the setting and the address
     */
    public static HttpServer open(InetSocketAddress address) throws IOException {
        try {
            return HttpServer.create(address, 64);
        } catch (BindException e) {
            throw new BindException("control.listen: " + address.getHostString() + ":"
                    + address.getPort() + " (" + e.getMessage() + ")");
        }
    }

    /** Reads the tokens; absent when no token file is set. */
    public static @Nullable TokenFile tokens(ControlSettings settings) throws IOException {
        return settings.tokenFile() == null
                ? null
                : new TokenFile(settings.tokenFile(), Instant::now);
    }

    /**
     * Checks that the token file can be used.
     *
     * @throws IOException when it cannot
     */
    public static void check(ControlSettings settings) throws IOException {
        tokens(settings);
    }
}
