/**
 * Listening. In: an address, workers. Out: a client connection on each accepted channel. Thread:
 * one event loop for each worker; with SO_REUSEPORT the kernel spreads connections over them. Start
 * at {@link dev.komainu.proxy.acceptor.Acceptor}.
 */
@NullMarked
package dev.komainu.proxy.acceptor;

import org.jspecify.annotations.NullMarked;
