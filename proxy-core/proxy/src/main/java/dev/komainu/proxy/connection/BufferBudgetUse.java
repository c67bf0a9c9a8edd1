package dev.komainu.proxy.connection;

import dev.komainu.intermediary.buffer.BufferBudget;
import dev.komainu.intermediary.buffer.BufferScheme;
import dev.komainu.intermediary.buffer.BufferSettings;
import dev.komainu.intermediary.connection.CloseReason;

/**
 * The budget for socket buffers, against what of it is bound to connections: the floors of those in
 * use and what idle ones keep. All else is shared anew each second and never short: who wants more
 * than there is gets less (max-min). In bytes, as of the last second, less what was given back
 * since. Any thread.
 */
public final class BufferBudgetUse implements LimitedResource {

    private final BufferBudget budget;

    public BufferBudgetUse(BufferBudget budget) {
        this.budget = budget;
    }

    @Override
    public CloseReason ending() {
        return CloseReason.BUFFER_BUDGET;
    }

    @Override
    public boolean countsConnections() {
        return false;
    }

    /** Unknown where no budget is held: {@code buffers.scheme} other than {@code equation}. */
    @Override
    public ResourceUse read() {
        BufferSettings settings = budget.settings();
        return settings.scheme() == BufferScheme.EQUATION
                ? new ResourceUse(budget.boundBytes(), settings.budgetBytes())
                : ResourceUse.UNKNOWN;
    }
}
