package dev.komainu.agent.host.linux;

/**
 * {@code /proc/loadavg}.
 *
 * @param load1 mean number of tasks that ran or waited during the last minute; 0 where not told
 * @param load5 the same over five minutes
 * @param load15 the same over fifteen minutes
 * @param threads kernel scheduling entities that exist
 */
public record LoadAverage(double load1, double load5, double load15, int threads) {

    public static LoadAverage parse(KernelFileText text) {
        text.rewind();
        double one = known(text.fraction());
        double five = known(text.fraction());
        double fifteen = known(text.fraction());
        long threads = text.passMark('/') ? text.number(0) : 0;
        return new LoadAverage(one, five, fifteen, (int) Math.clamp(threads, 0, Integer.MAX_VALUE));
    }

    private static double known(double load) {
        return Double.isNaN(load) ? 0 : load;
    }
}
