package dev.komainu.intermediary.connection;

/** Hears of one loop's connections to origins. On that loop. */
public interface OriginConnectionListener {

    /** Nobody counts them. */
    OriginConnectionListener NONE = new OriginConnectionListener() {
        @Override
        public void opens() {}

        @Override
        public void closes() {}

        @Override
        public void idles() {}
    };

    /** One is being opened. */
    void opens();

    /** One is gone, or never came to be. */
    void closes();

    /** One is idle. */
    void idles();
}
