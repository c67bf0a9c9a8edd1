/**
 * Which web servers run on this host, and how they are set.
 *
 * <p>In: the kernel's list of listening sockets, the processes behind them, their configuration
 * files. Out: what is there now ({@link dev.komainu.agent.discovery.DiscoveredServer}), each value
 * with the place it was read from. Thread: the one that calls
 * {@link dev.komainu.agent.discovery.Discovery#look}.
 *
 * <p>Each kind of server has a room of its own ({@code nginx}, {@code apache}, {@code tomcat},
 * {@code squid}, {@code haproxy}, {@code varnish}, {@code komainu}); {@code configuration} is what
 * they share, and the gate that no secret passes; {@code program} is the process behind a socket.
 *
 * <p>Start at {@link dev.komainu.agent.discovery.Discovery}.
 *
 * <p>Decision: docs/decisions/0094-server-configuration-parsers.md
 */
@NullMarked
package dev.komainu.agent.discovery;

import org.jspecify.annotations.NullMarked;
