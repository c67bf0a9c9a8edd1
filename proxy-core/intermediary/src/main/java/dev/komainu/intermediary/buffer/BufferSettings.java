package dev.komainu.intermediary.buffer;

import java.util.List;

/**
 * What tunes socket buffers.
 *
 * @param scheme who decides about them (kernel)
 * @param budgetBytes for both directions of all connections, under {@code equation}: 64 KB to 1 TB (32 MB)
 * @param idleDecay under {@code equation}: what becomes of an idle connection's share (pressed)
 */
public record BufferSettings(BufferScheme scheme, long budgetBytes, IdleDecay idleDecay) {

    public static final BufferSettings DEFAULT = new BufferSettings(BufferScheme.KERNEL, 32L << 20, IdleDecay.PRESSED);

    /**
     * Adds "name: value (expected …)" for each value out of range.
     *
     * @param canBeHeld whether this transport lets the proxy count what is outstanding
     */
    public void check(boolean canBeHeld, List<String> problems) {
        if (budgetBytes < 64L << 10 || budgetBytes > 1L << 40) {
            problems.add("buffers.budget: " + budgetBytes + " (expected: 64KB to 1TB)");
        }
        if (scheme != BufferScheme.KERNEL && !canBeHeld) {
            problems.add("buffers.scheme: " + scheme.text() + " (expected: kernel, where transport is not epoll)");
        }
    }
}
