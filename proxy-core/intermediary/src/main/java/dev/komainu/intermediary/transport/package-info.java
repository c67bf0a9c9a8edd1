/**
 * Sockets and event loops: epoll, io_uring or NIO, and a channel for clients that needs fewer
 * system calls than Netty's.
 *
 * <p>In: a choice of transport, accepted descriptors. Out: Netty channels. Thread: the channel's
 * event loop. Start at {@link dev.komainu.intermediary.transport.Transport}.
 */
@NullMarked
package dev.komainu.intermediary.transport;

import org.jspecify.annotations.NullMarked;
