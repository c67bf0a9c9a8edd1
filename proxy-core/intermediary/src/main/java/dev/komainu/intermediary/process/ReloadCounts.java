package dev.komainu.intermediary.process;

/** How often the configuration was read again, and which one is in force. Safe for all threads. */
public final class ReloadCounts {

    private Figures figures = new Figures(1, 0, 0, 0);

    /**
     * What was counted since the start.
     *
     * @param generation of the configuration in force: 1 at the start, one more with each reload
     *     that was done
     * @param done reloads that were taken, also when they changed nothing
     * @param refused reloads that changed nothing because of mistakes
     * @param lastMicros when the last one was done, in microseconds since the epoch; 0: never
     */
    public record Figures(long generation, long done, long refused, long lastMicros) {}

    /** @return the generation now in force */
    public synchronized long done(long atMicros) {
        figures = new Figures(figures.generation + 1, figures.done + 1, figures.refused, atMicros);
        return figures.generation;
    }

    public synchronized void refused() {
        figures = new Figures(
                figures.generation, figures.done, figures.refused + 1, figures.lastMicros);
    }

    public synchronized Figures figures() {
        return figures;
    }
}
