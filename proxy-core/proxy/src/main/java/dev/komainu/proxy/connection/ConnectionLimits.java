package dev.komainu.proxy.connection;

import dev.komainu.intermediary.buffer.BufferBudget;

/**
 * The limits that connections of all event loops share. All of them are thread-safe.
 *
 * @param clients the limits for connected clients, in total and per address
 * @param reclamation closes idle connections when connections, descriptors or memory run short
 * @param buffers the memory for socket buffers
 */
public record ConnectionLimits(
        ClientCounts clients, Reclamation reclamation, BufferBudget buffers) {}
