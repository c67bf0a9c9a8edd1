package dev.komainu.agent.host.linux;

import org.jspecify.annotations.Nullable;

/**
 * The packets that the kernel dropped because the queue of a CPU was full
 * (net.core.netdev_max_backlog), from {@code /proc/net/softnet_stat}. One thread at a time.
 */
public final class BacklogDrops {

    private static final int DROPPED = 1;
    private static final int HEXADECIMAL = 16;

    private final ProcFiles proc;
    private final Growth growth = new Growth();

    public BacklogDrops(ProcFiles proc) {
        this.proc = proc;
    }

    /** Returns the drops since the last reading; null when the kernel does not count them. */
    public @Nullable Long read() {
        Long drops = null;
        int row = 0;
        for (String line : proc.text("net/softnet_stat").split("\n")) {
            String[] words = line.strip().split(" +");
            if (words.length > DROPPED) {
                long count = number(words[DROPPED]);
                drops = (drops == null ? 0 : drops) + growth.of("row " + row++, count);
            }
        }
        growth.end();
        return drops;
    }

    private static long number(String word) {
        try {
            return Long.parseLong(word, HEXADECIMAL);
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
