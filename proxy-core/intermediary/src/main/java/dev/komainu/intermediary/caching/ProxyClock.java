package dev.komainu.intermediary.caching;

/**
 * The two clocks of the proxy. The steady clock measures residence times and never jumps. The wall
 * clock is only compared with dates that other hosts wrote.
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

    /** Returns milliseconds since an arbitrary moment; never decreases. */
    long steadyMillis();

    /** Returns milliseconds since the epoch by the host's clock. */
    long wallMillis();
}
