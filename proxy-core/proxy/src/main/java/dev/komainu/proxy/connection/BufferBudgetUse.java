package dev.komainu.proxy.connection;

import dev.komainu.intermediary.buffer.BufferBudget;
import dev.komainu.intermediary.buffer.BufferScheme;
import dev.komainu.intermediary.buffer.BufferSettings;
import dev.komainu.intermediary.connection.CloseReason;

/**
 * The use of the budget for socket buffers: the part that is bound to connections. Bound are the
 * floors of those in use and the buffers that idle ones keep. The rest is shared anew each second
 * and is never short: a connection that needs more than there is gets less (max-min). In bytes, as
 * of the last second, less the bytes returned since. Any thread.
 */
public final class BufferBudgetUse implements LimitedResource {

    private final BufferBudget budget;

    public BufferBudgetUse(BufferBudget budget) {
        this.budget = budget;
    }

    @Override
    public CloseReason reason() {
        return CloseReason.BUFFER_BUDGET;
    }

    @Override
    public boolean countsConnections() {
        return false;
    }

    /**
     * Returns the use; unknown without a budget: with a {@code buffers.scheme} other than
     * {@code equation}.
     */
    @Override
    public ResourceUse read() {
        BufferSettings settings = budget.settings();
        return settings.scheme() == BufferScheme.EQUATION
                ? new ResourceUse(budget.boundBytes(), settings.budgetBytes())
                : ResourceUse.UNKNOWN;
    }
}
