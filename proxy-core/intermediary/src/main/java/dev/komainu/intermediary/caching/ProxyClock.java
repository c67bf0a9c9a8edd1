package dev.komainu.intermediary.caching;

/**
 * The two clocks of the proxy. The steady one measures how long things lie here and never jumps;
 * the wall clock is only compared with dates that others wrote.
 */
public interface ProxyClock {

    ProxyClock SYSTEM = new ProxyClock() {
        private final long origin = System.nanoTime();

        @Override
        public long steadyMillis() {
            return (System.nanoTime() - origin) / 1_000_000;
        }

        @Override
        public long wallMillis() {
            return System.currentTimeMillis();
        }
    };

    /** Milliseconds since some moment; never decreases. */
    long steadyMillis();

    /** Milliseconds since the epoch, as the host believes. */
    long wallMillis();
}
