/**
 * Sockets and event loops: epoll, io_uring or NIO, and a channel for clients that needs fewer
 * system calls than Netty's.
 *
 * <p>In: a transport and accepted descriptors. Out: Netty channels. Thread: the channel's event
 * loop. Start at {@link dev.komainu.intermediary.transport.Transport}.
 *
 * <p>Decision: docs/decisions/0031-own-channel-for-clients.md
 */
@NullMarked
package dev.komainu.intermediary.transport;

import org.jspecify.annotations.NullMarked;
