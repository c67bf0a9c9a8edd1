/**
 * The web servers of this host and their configurations.
 *
 * <p>In: the kernel's list of listening sockets, the processes behind them, their configuration
 * files. Out: the current servers ({@link dev.komainu.agent.discovery.DiscoveredServer}), each
 * value with its source. Thread: the one that calls
 * {@link dev.komainu.agent.discovery.Discovery#scan}.
 *
 * <p>Each kind of server has its own package ({@code nginx}, {@code apache}, {@code tomcat},
 * {@code squid}, {@code haproxy}, {@code varnish}, {@code gunicorn}, {@code uwsgi}, {@code phpfpm},
 * {@code komainu}); {@code configuration} is the part they share, including the filter that no
 * secret passes; {@code program} is the process behind a socket.
 *
 * <p>Start at {@link dev.komainu.agent.discovery.Discovery}.
 *
 * <p>A server's configuration also leads to the application pools that work for it
 * ({@link dev.komainu.agent.host.ApplicationPool}): their processes count to the server's own.
 *
 * <p>Decisions: docs/decisions/0094-server-configuration-parsers.md,
 * docs/decisions/0107-pools-of-a-server.md
 */
@NullMarked
package dev.komainu.agent.discovery;

import org.jspecify.annotations.NullMarked;
