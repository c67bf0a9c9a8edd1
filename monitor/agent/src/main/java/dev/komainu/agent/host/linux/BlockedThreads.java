package dev.komainu.agent.host.linux;

/**
 * The sampled threads of a server by what they waited for.
 *
 * @param working threads that did not wait for work; the others are parts of them
 */
public record BlockedThreads(
        int working, int clientWrite, int clientRead, int backend, int lock, int sleep) {

    /** Returns the sums with the threads of another tree. */
    public BlockedThreads plus(BlockedThreads other) {
        return new BlockedThreads(
                working + other.working,
                clientWrite + other.clientWrite,
                clientRead + other.clientRead,
                backend + other.backend,
                lock + other.lock,
                sleep + other.sleep);
    }
}
