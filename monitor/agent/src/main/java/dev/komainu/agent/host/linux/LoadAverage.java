package dev.komainu.agent.host.linux;

/**
 * {@code /proc/loadavg}.
 *
 * @param load1 mean number of running or waiting tasks during the last minute; 0 when not reported
 * @param load5 mean over five minutes
 * @param load15 mean over fifteen minutes
 * @param threads existing kernel scheduling entities
 */
public record LoadAverage(double load1, double load5, double load15, int threads) {

    public static LoadAverage parse(KernelFileText text) {
        text.rewind();
        double one = known(text.fraction());
        double five = known(text.fraction());
        double fifteen = known(text.fraction());
        long threads = text.skipPast('/') ? text.number(0) : 0;
        return new LoadAverage(one, five, fifteen, (int) Math.clamp(threads, 0, Integer.MAX_VALUE));
    }

    private static double known(double load) {
        return Double.isNaN(load) ? 0 : load;
    }
}
