/**
 * Listening sockets. In: addresses, a factory of loop contexts. Out: a client connection on each
 * accepted channel. Thread: one event loop per context; with SO_REUSEPORT the kernel spreads
 * connections over them. Start at {@link dev.komainu.proxy.acceptor.Acceptor}.
 */
@NullMarked
package dev.komainu.proxy.acceptor;

import org.jspecify.annotations.NullMarked;
