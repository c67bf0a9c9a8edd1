package dev.komainu.intermediary.control;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What tunes the control endpoint.
 *
 * @param listen where it listens (127.0.0.1:7681)
 * @param tokenFile tokens and their scopes, one a line; absent: nothing that needs a token is permitted
 * @param readToken whether reads need a token on a loopback address too; elsewhere they always do (false)
 */
public record ControlSettings(
        InetSocketAddress listen, @Nullable Path tokenFile, boolean readToken) {}
