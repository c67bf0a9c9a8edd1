package dev.komainu.proxy.connection;

import dev.komainu.intermediary.buffer.BufferBudget;

/**
 * The limits that connections of all event loops share. Every member is safe for many threads.
 *
 * @param clients how many clients may be connected, in all and from one address
 * @param reclamation which idle connections close when places, descriptors or memory run short
 * @param buffers memory for socket buffers
 */
public record ConnectionLimits(
        ClientCounts clients, Reclamation reclamation, BufferBudget buffers) {}
