package dev.komainu.agent.host.linux;

/**
 * {@code /proc/loadavg}.
 *
 * @param load1 mean number of tasks that ran or waited during the last minute
 * @param threads kernel scheduling entities that exist
 */
public record LoadAverage(double load1, int threads) {

    public static LoadAverage parse(String text) {
        String[] f = text.strip().split("\\s+");
        Double load = Digits.fraction(f[0]);
        int slash = f.length > 3 ? f[3].indexOf('/') : -1;
        long threads = slash < 0 ? 0 : Digits.of(f[3].substring(slash + 1), 0);
        return new LoadAverage(load == null ? 0 : load, (int) Math.clamp(threads, 0, Integer.MAX_VALUE));
    }
}
