package dev.komainu.agent.host;

import dev.komainu.telemetry.record.Endpoint;
import org.jspecify.annotations.Nullable;

/**
 * A pool of application processes of this host to which a watched server passes requests: php-fpm,
 * uWSGI or gunicorn. It listens at a path or at an address.
 *
 * @param processId the top process of its tree
 * @param path the path of its Unix socket, as the pool bound it; absent for TCP
 * @param endpoint the address at which the server reaches it; absent for a Unix socket
 */
public record ApplicationPool(
        long processId, @Nullable String path, @Nullable Endpoint endpoint) {}
