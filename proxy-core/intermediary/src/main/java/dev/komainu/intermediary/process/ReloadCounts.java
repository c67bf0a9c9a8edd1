package dev.komainu.intermediary.process;

/** The counts of reloads, and the generation of the configuration in force. Thread-safe. */
public final class ReloadCounts {

    private Figures figures = new Figures(1, 0, 0, 0);

    /**
     * The counts since the start.
     *
     * @param generation of the configuration in force: 1 at the start, incremented by each
     *     successful reload
     * @param done successful reloads, also those without a change
     * @param refused reloads that changed nothing because of mistakes
     * @param lastMicros time of the last successful reload, in microseconds since the epoch; 0:
     *     never
     */
    public record Figures(long generation, long done, long refused, long lastMicros) {}

    /**
     * Counts a successful reload.
     *
     * @return the generation now in force
     */
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
